# run: tenon fmt %s
# Shapes as values.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32")) -> R.Shape(ndim=2):
        n = T.int64()
        s = R.shape_of(x)
        t = R.shape_to_tensor(s)
        u = R.tensor_to_shape(t)
        v = R.shape([n + 1, n * 4 // 2, T.max(n, 8)])
        return s
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32")) -> R.Shape(ndim=2):
        n = T.int64()
        s: R.Shape([n, 4]) = R.shape_of(x)
        t: R.Tensor((2,), dtype="int64") = R.shape_to_tensor(s)
        u: R.Shape(ndim=2) = R.tensor_to_shape(t)
        v: R.Shape([n + 1, n * 4 // 2, T.max(n, 8)]) = R.shape([n + 1, n * 4 // 2, T.max(n, 8)])
        return s
