# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def helper(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        return x

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        y = R.call_tir(cls.helper, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return y
# expect:
%s:15:9: error: R.call_tir calls a loop function, 'helper' is a graph function [wrong-callee]
        y = R.call_tir(cls.helper, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
