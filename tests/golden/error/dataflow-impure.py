# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        with R.dataflow():
            y = R.call_packed("f", x, sinfo_args=(R.Tensor((4,), dtype="float32"),))
            R.output(y)
        return y
# expect:
%s:11:13: error: an impure call stands in a dataflow block; its effect would have no place in order [dataflow-impure]
            y = R.call_packed("f", x, sinfo_args=(R.Tensor((4,), dtype="float32"),))
            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
