# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y = x + 2
        return y
# expect:
%s:10:13: error: a number beside a tensor needs a type: R.const(2, "float32") [bare-number]
        y = x + 2
            ^~~~~
