# run: tenon opt --passes=dead_code %s
# Unused pure bindings and private functions go; what has an effect stays, in its order.
@I.ir_module
class M:
    @T.prim_func(private=True)
    def unused(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(0)

    @T.prim_func
    def exp(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = T.exp(A[i])

    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        u = R.call_tir(cls.exp, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        v = R.call_packed("log", x, sinfo_args=(R.Object,))
        with R.dataflow():
            a = R.call_tir(cls.exp, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
            b = R.call_tir(cls.exp, (a,), out_sinfo=R.Tensor((4,), dtype="float32"))
            d = R.call_tir(cls.exp, (b,), out_sinfo=R.Tensor((4,), dtype="float32"))
            R.output(b)
        w = R.call_packed("log", b, sinfo_args=(R.Object,))
        return b
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func
    def exp(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = T.exp(A[i])

    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        v = R.call_packed("log", x, sinfo_args=(R.Object,))
        with R.dataflow():
            a = R.call_tir(cls.exp, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
            b = R.call_tir(cls.exp, (a,), out_sinfo=R.Tensor((4,), dtype="float32"))
            R.output(b)
        w = R.call_packed("log", b, sinfo_args=(R.Object,))
        return b
