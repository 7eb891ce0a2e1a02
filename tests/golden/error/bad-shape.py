# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(x: R.Tensor((-4,), dtype="float32"), y: R.Tensor(4, "float32")) -> R.Tensor((4,), dtype="float32"):
        z: R.Tensor((4, 4), ndim=3) = x
        s = R.shape(3)
        return x
# expect:
%s:9:27: error: size -4 is negative [bad-shape]
    def main(x: R.Tensor((-4,), dtype="float32"), y: R.Tensor(4, "float32")) -> R.Tensor((4,), dtype="float32"):
                          ^~
%s:9:63: error: expected a shape: (n, 4) [bad-shape]
    def main(x: R.Tensor((-4,), dtype="float32"), y: R.Tensor(4, "float32")) -> R.Tensor((4,), dtype="float32"):
                                                              ^
%s:10:34: error: ndim is 3, and the shape has 2 dimensions [bad-shape]
        z: R.Tensor((4, 4), ndim=3) = x
                                 ^
%s:11:21: error: expected a list of sizes [bad-shape]
        s = R.shape(3)
                    ^
