# run: --random
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.script import relax as R


@I.ir_module
class M:
    @T.prim_func
    def add(A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "float32"), C: T.Buffer((3,), "float32")):
        for i in range(3):
            C[i] = A[i] + B[i]
    @R.function
    def mk(y: R.Tensor((3,), "float32")) -> R.Callable((R.Tensor((3,), "float32"),), R.Tensor((3,), "float32"), True):
        cls = M
        @R.function
        def inner(z: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
            w = R.call_tir(cls.add, (z, y), out_sinfo=R.Tensor((3,), "float32"))
            return w
        return inner
    @R.function
    def main(x: R.Tensor((3,), "float32"), y: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        cls = M
        f = cls.mk(y)
        g = cls.mk(x)
        a = f(x)
        b = g(a)
        return b
