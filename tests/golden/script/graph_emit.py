# run: tenon fmt %s
# The builder's forms.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(ndim=1, dtype="float32")) -> R.Tensor(ndim=1, dtype="float32"):
        n = T.int64()
        y = R.emit(x)
        z = R.emit_match_cast(y, R.Tensor((n,), dtype="float32"))
        return z
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(dtype="float32", ndim=1)) -> R.Tensor(dtype="float32", ndim=1):
        y = x
        n = T.int64()
        z = R.match_cast(y, R.Tensor((n,), dtype="float32"))
        return z
