# run: tenon fmt %s
# Functions inside functions, recursion, function values, private functions.
@I.ir_module
class M:
    @R.function(private=True)
    def helper(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        return x

    @R.function
    def loop(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        if c:
            y = cls.loop(c, x)
        else:
            y = cls.helper(x)
        return y

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), z: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M

        @R.function
        def inner(y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
            w = R.call_dps_packed("env.add", (y, z), out_sinfo=R.Tensor((4,), dtype="float32"))
            return w

        a = inner(x)
        b = cls.helper(a)
        return b
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function(private=True)
    def helper(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        return x

    @R.function
    def loop(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        if c:
            y: R.Tensor((4,), dtype="float32") = cls.loop(c, x)
        else:
            y: R.Tensor((4,), dtype="float32") = cls.helper(x)
        return y

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), z: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        @R.function
        def inner(y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
            w = R.call_dps_packed("env.add", (y, z), out_sinfo=R.Tensor((4,), dtype="float32"))
            return w
        a: R.Tensor((4,), dtype="float32") = inner(x)
        b: R.Tensor((4,), dtype="float32") = cls.helper(a)
        return b
