# run: --random --size n=7
# run: --random --size n=0
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.script import relax as R


@I.ir_module
class M:
    @T.prim_func
    def fill(A: T.Buffer((6,), "float32"), b: T.handle, n: T.int64):
        B = T.match_buffer(b, (6, n))
        for i, j in T.grid(T.int64(6), n):
            B[i, j] = A[i] + T.Cast("float32", j * n)
    @R.function
    def main(x: R.Tensor((6,), "float32"), y: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = M
        z = R.call_tir(cls.fill, (x,), out_sinfo=R.Tensor((6, n), "float32"), tir_vars=R.shape([n]))
        return z
