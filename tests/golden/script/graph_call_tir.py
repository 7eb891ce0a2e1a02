# run: tenon fmt %s
# call_tir: one output, several, sizes handed over, a bare argument, in place.
@I.ir_module
class M:
    @T.prim_func
    def add(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        for i in range(4):
            C[i] = A[i] + B[i]

    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i]

    @T.prim_func
    def two(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((2,), "float32")):
        B[0] = A[0]
        C[0] = A[1]

    @T.prim_func
    def fill(a: T.handle, n: T.int64):
        A = T.match_buffer(a, (n,))
        for i in range(n):
            A[i] = T.float32(1)

    @T.prim_func
    def inplace(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(0)

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor(("n",), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        n = T.int64()
        cls = M
        with R.dataflow():
            a = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((4,), dtype="float32"))
            b = R.call_tir(cls.copy, a, out_sinfo=R.Tensor((4,), "float32"))
            c = R.call_tir(cls.two, (b,), out_sinfo=[R.Tensor((4,), dtype="float32"), R.Tensor((2,), dtype="float32")])
            d = c[0]
            e = R.call_tir(cls.fill, R.tuple(), out_sinfo=R.Tensor((n,), dtype="float32"), tir_vars=R.shape([n]))
            g = R.call_tir_inplace(cls.inplace, (d,), out_sinfo=R.Tensor((4,), dtype="float32"), inplace_indices=[0])
            R.output(g, e)
        return g
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func
    def add(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        for i in range(4):
            C[i] = A[i] + B[i]

    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i]

    @T.prim_func
    def fill(a: T.handle, n: T.int64):
        A = T.match_buffer(a, (n,))
        for i in range(n):
            A[i] = T.float32(1.0)

    @T.prim_func
    def inplace(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(0.0)

    @T.prim_func
    def two(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((2,), "float32")):
        B[0] = A[0]
        C[0] = A[1]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor(("n",), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        n = T.int64()
        cls = M
        with R.dataflow():
            a = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((4,), dtype="float32"))
            b = R.call_tir(cls.copy, (a,), out_sinfo=R.Tensor((4,), dtype="float32"))
            c = R.call_tir(cls.two, (b,), out_sinfo=[R.Tensor((4,), dtype="float32"), R.Tensor((2,), dtype="float32")])
            d: R.Tensor((4,), dtype="float32") = c[0]
            e = R.call_tir(cls.fill, (), out_sinfo=R.Tensor((n,), dtype="float32"), tir_vars=R.shape([n]))
            g = R.call_tir_inplace(cls.inplace, (d,), out_sinfo=R.Tensor((4,), dtype="float32"), inplace_indices=[0])
            R.output(g, e)
        return g
