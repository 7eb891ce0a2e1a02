# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((5,), dtype="float32"):
        return x
# expect:
%s:10:9: error: the result has type R.Tensor((4,), dtype="float32"), declared R.Tensor((5,), dtype="float32") [return-type]
        return x
        ^~~~~~~~
