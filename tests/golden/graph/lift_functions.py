# run: tenon opt --passes=lift_functions %s
# A function inside a function becomes a private one; what it captured comes as last argument.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), z: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        @R.function
        def inner(y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
            w = R.call_dps_packed("env.add", (y, z), out_sinfo=R.Tensor((4,), dtype="float32"))
            return w

        a = inner(x)
        return a
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function(private=True)
    def main_inner(y: R.Tensor((4,), dtype="float32"), z: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        w = R.call_dps_packed("env.add", (y, z), out_sinfo=R.Tensor((4,), dtype="float32"))
        return w

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), z: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        inner: R.Callable((R.Tensor((4,), dtype="float32"),), R.Tensor((4,), dtype="float32"), True) = R.make_closure(cls.main_inner, (z,))
        a: R.Tensor((4,), dtype="float32") = inner(x)
        return a
