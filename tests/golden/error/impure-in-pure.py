# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y = R.call_packed("f", x, sinfo_args=(R.Tensor((4,), dtype="float32"),))
        return y
# expect:
%s:10:9: error: function 'main' is pure and makes an impure call [impure-in-pure]
        y = R.call_packed("f", x, sinfo_args=(R.Tensor((4,), dtype="float32"),))
        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: declare it with pure=False
