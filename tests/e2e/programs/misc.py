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
    @T.prim_func
    def divmod2(A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "float32"), C: T.Buffer((2, 3), "int32"), E: T.Buffer((0,), "float32")):
        for i in range(3):
            B[i] = A[i] * T.float32(0.5)
            C[0, i] = T.Cast("int32", A[i] * T.float32(100))
            C[1, i] = i
    @R.function
    def main(x: R.Tensor((3,), "float32"), p: R.Tensor((3,), "float32")):
        cls = M
        with R.dataflow():
            unused = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((3,), "float32"))
            a = R.call_tir(cls.divmod2, (x,), out_sinfo=[R.Tensor((3,), "float32"), R.Tensor((2, 3), "int32"), R.Tensor((0,), "float32")])
            b = a[0]
            c = R.call_tir(cls.add, (b, b), out_sinfo=R.Tensor((3,), "float32"))
            d = a[1]
            R.output(a, c, d)
        e = R.call_tir(cls.add, (c, R.const([1.0, 2.0, 3.0], "float32")), out_sinfo=R.Tensor((3,), "float32"))
        k = R.const(7, "int64")
        z = R.const([[]], "float32")
        return (p, p, e, e, d, a, k, z, c)
