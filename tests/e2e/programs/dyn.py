# run: --random --size n=2 --size m=3
# run: --random --size n=0 --size m=5
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.script import relax as R


@I.ir_module
class M:
    @T.prim_func
    def add1(a: T.handle, b: T.handle):
        n, m = T.int64(), T.int64()
        A = T.match_buffer(a, (n, m))
        B = T.match_buffer(b, (n, m))
        for i, j in T.grid(n, m):
            with T.block("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + T.float32(1)
    @T.prim_func
    def flat(a: T.handle, b: T.handle):
        n, m = T.int64(), T.int64()
        A = T.match_buffer(a, (n, m))
        B = T.match_buffer(b, (n * m,))
        for i, j in T.grid(n, m):
            with T.block("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi * m + vj] = A[vi, vj]
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("n * m",), "float32"):
        n, m = T.int64(), T.int64()
        cls = M
        with R.dataflow():
            a = R.call_tir(cls.add1, (x,), out_sinfo=R.Tensor((n, m), "float32"))
            b = R.call_tir(cls.add1, (a,), out_sinfo=R.Tensor((n, m), "float32"))
            c = R.call_tir(cls.flat, (b,), out_sinfo=R.Tensor((n * m,), "float32"))
            R.output(c)
        return c
