# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function(pure=False)
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        if c:
            y = x
        else:
            R.print(x)
        return x
# expect:
%s:13:13: error: a branch ends with a binding: y = ... [branch-without-value]
            R.print(x)
            ^~~~~~~~~~
