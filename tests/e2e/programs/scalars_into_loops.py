# run: --random --size k=5
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.script import relax as R


@I.ir_module
class M:
    @T.prim_func
    def f(A: T.Buffer((3,), "float32"), n: T.int64, s: T.float32, B: T.Buffer((3,), "float32")):
        for i in range(3):
            B[i] = A[i] * s + T.Cast("float32", n)
    @R.function
    def main(x: R.Tensor((3,), "float32"), y: R.Tensor(("k",), "float32")):
        k = T.int64()
        cls = M
        p = R.prim_value(4)
        a = R.call_tir(cls.f, (x, p, R.prim_value(T.float32(0.5))), out_sinfo=R.Tensor((3,), "float32"))
        b = R.call_tir(cls.f, (a, R.prim_value(k * 2), R.prim_value(T.float32(0.25))), out_sinfo=R.Tensor((3,), "float32"))
        return (a, b)
