# run: tenon fmt %s
# A function of the host as a function of the module.
@I.ir_module
class M:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Object:
        f = R.ExternFunc("env.f")
        y = f(x)
        return y
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Object:
        f: R.Callable = R.ExternFunc("env.f")
        y: R.Object = f(x)
        return y
