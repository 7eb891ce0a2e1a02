# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(x: R.Tuple(R.Tensor((4,), dtype="float32"), R.Object)) -> R.Tensor((4,), dtype="float32"):
        y = x[0:1]
        z = x[0, 1]
        return x[0]
# expect:
%s:10:13: error: expected one constant index into a tuple [bad-index]
        y = x[0:1]
            ^~~~~~
%s:11:13: error: expected one constant index into a tuple [bad-index]
        z = x[0, 1]
            ^~~~~~~
