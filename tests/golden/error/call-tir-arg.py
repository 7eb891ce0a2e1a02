# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(x: R.Tensor((5,), dtype="float32"), z: R.Tensor((4,), dtype="int32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        y = R.call_tir(cls.copy, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        w = R.call_tir(cls.copy, (z,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return y
# expect:
%s:11:9: error: the argument for parameter 'A' of copy has type R.Tensor((5,), dtype="float32"), declared R.Tensor((4,), dtype="float32") [call-tir-arg]
        y = R.call_tir(cls.copy, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
%s:12:9: error: the argument for parameter 'A' of copy has type R.Tensor((4,), dtype="int32"), declared R.Tensor((4,), dtype="float32") [call-tir-arg]
        w = R.call_tir(cls.copy, (z,), out_sinfo=R.Tensor((4,), dtype="float32"))
        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
