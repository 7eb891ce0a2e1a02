# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(x: R.Tensor(("n +",), dtype="float32"), y: R.Tensor(("",), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        return x
# expect:
%s:9:27: error: expected an expression of sizes in the quotes [bad-size]
    def main(x: R.Tensor(("n +",), dtype="float32"), y: R.Tensor(("",), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
                          ^~~~~
%s:9:67: error: expected an expression of sizes in the quotes [bad-size]
    def main(x: R.Tensor(("n +",), dtype="float32"), y: R.Tensor(("",), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
                                                                  ^~
