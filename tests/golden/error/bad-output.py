# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        with R.dataflow():
            y = R.call_tir(cls.copy, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
            R.output(x)
        return x
# expect:
%s:13:22: error: R.output takes names that the dataflow block binds [bad-output]
            R.output(x)
                     ^
