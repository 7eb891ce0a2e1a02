# run: tenon fmt %s
# Sizes by name: defined in the signature, used in the body and in results.
@I.ir_module
class M:
    @T.prim_func
    def copy(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        for i in range(n):
            B[i] = A[i]

    @R.function
    def main(x: R.Tensor(("n", "m"), dtype="float32"), y: R.Tensor(("n * 4",), dtype="float32")) -> R.Tensor(("n * 4",), dtype="float32"):
        n = T.int64()
        m = T.int64()
        cls = M
        out = R.call_tir(cls.copy, (y,), out_sinfo=R.Tensor((n * 4,), dtype="float32"))
        return out
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func
    def copy(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        for i in range(n):
            B[i] = A[i]

    @R.function
    def main(x: R.Tensor(("n", "m"), dtype="float32"), y: R.Tensor(("n * 4",), dtype="float32")) -> R.Tensor(("n * 4",), dtype="float32"):
        n = T.int64()
        cls = M
        out = R.call_tir(cls.copy, (y,), out_sinfo=R.Tensor((n * 4,), dtype="float32"))
        return out
