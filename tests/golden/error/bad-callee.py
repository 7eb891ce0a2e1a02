# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        y = R.call_tir(3, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        z = R.call_dps_packed(cls.copy, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return y
# expect:
%s:11:24: error: expected a function of the module: cls.name, got an integer [bad-callee]
        y = R.call_tir(3, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
                       ^
%s:12:31: error: expected the name of a registered function, got a graph value [bad-callee]
        z = R.call_dps_packed(cls.copy, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
                              ^~~~~~~~
