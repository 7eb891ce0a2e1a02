# run: tenon fmt %s
# match_cast gives sizes their names.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(ndim=2, dtype="float32"), s: R.Shape(ndim=2)) -> R.Tensor(ndim=2, dtype="float32"):
        m = T.int64()
        n = T.int64()
        k = T.int64()
        y = R.match_cast(x, R.Tensor((m, n), dtype="float32"))
        t: R.Shape([m, k]) = R.match_cast(s, R.Shape([m, k]))
        return y
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(dtype="float32", ndim=2), s: R.Shape(ndim=2)) -> R.Tensor(dtype="float32", ndim=2):
        m = T.int64()
        n = T.int64()
        y = R.match_cast(x, R.Tensor((m, n), dtype="float32"))
        k = T.int64()
        t = R.match_cast(s, R.Shape([m, k]))
        return y
