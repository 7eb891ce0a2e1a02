# run: --random
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.script import relax as R


@I.ir_module
class M:
    @T.prim_func
    def dec(A: T.Buffer((), "int64"), B: T.Buffer((), "int64")):
        B[()] = A[()] - T.int64(1)

    @T.prim_func
    def pos(A: T.Buffer((), "int64"), B: T.Buffer((), "bool")):
        B[()] = A[()] > T.int64(0)

    @T.prim_func
    def dbl(A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = A[i] * T.float32(2)

    @R.function
    def loop(n: R.Tensor((), "int64"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = M
        c = R.call_tir(cls.pos, (n,), out_sinfo=R.Tensor((), "bool"))
        if c:
            m = R.call_tir(cls.dec, (n,), out_sinfo=R.Tensor((), "int64"))
            y = R.call_tir(cls.dbl, (x,), out_sinfo=R.Tensor((2,), "float32"))
            r = cls.loop(m, y)
        else:
            r = x
        return r

    @R.function
    def main(x: R.Tensor((2,), "float32")):
        cls = M
        a = cls.loop(R.const(0, "int64"), x)
        b = cls.loop(R.const(7, "int64"), x)
        return (a, b)
