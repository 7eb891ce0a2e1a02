# run: --random
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.script import relax as R


@I.ir_module
class M:
    @T.prim_func
    def acc(A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "float32")):
        for i in range(3):
            A[i] = A[i] + B[i]
    @T.prim_func
    def copy(A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "float32")):
        for i in range(3):
            B[i] = A[i]
    @R.function
    def main(x: R.Tensor((3,), "float32"), p: R.Tensor((3,), "float32")):
        cls = M
        c = R.call_tir(cls.copy, (x,), out_sinfo=R.Tensor((3,), "float32"))
        a = R.call_tir_inplace(cls.acc, (c, p), out_sinfo=R.Tensor((3,), "float32"), inplace_indices=[0])
        b = R.call_tir_inplace(cls.acc, (a, a), out_sinfo=R.Tensor((3,), "float32"), inplace_indices=[0])
        return (b, x)
