# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        if x:
            y = x
        else:
            y = x
        return y
# expect:
%s:10:9: error: the condition has type R.Tensor((4,), dtype="float32"), expected a bool scalar [bad-condition]
        if x:
        ^~
