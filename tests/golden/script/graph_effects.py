# run: tenon fmt %s
# What has an effect needs pure=False.
@I.ir_module
class M:
    @R.function(pure=False)
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.print(x, format="x: {}")
        R.print()
        a = R.print(x, x, format="{} {}")
        b = R.assert_op(c, x, format="bad {}")
        R.assert_op(c)
        return x
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function(pure=False)
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        _: R.Tuple() = R.print(x, format="x: {}")
        _1: R.Tuple() = R.print()
        a: R.Tuple() = R.print(x, x, format="{} {}")
        b: R.Tuple() = R.assert_op(c, x, format="bad {}")
        _2: R.Tuple() = R.assert_op(c)
        return x
