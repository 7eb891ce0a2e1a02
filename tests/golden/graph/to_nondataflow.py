# run: tenon opt --passes=to_nondataflow %s
# Dataflow blocks become plain bindings in their order, also between calls with an effect.
@I.ir_module
class M:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        with R.dataflow():
            a = R.call_dps_packed("f", (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
            b = R.call_dps_packed("f", (a,), out_sinfo=R.Tensor((4,), dtype="float32"))
            R.output(b)
        u = R.call_packed("log", b, sinfo_args=(R.Object,))
        with R.dataflow():
            d = R.call_dps_packed("f", (b,), out_sinfo=R.Tensor((4,), dtype="float32"))
            R.output(d)
        return d
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        a = R.call_dps_packed("f", (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        b = R.call_dps_packed("f", (a,), out_sinfo=R.Tensor((4,), dtype="float32"))
        u = R.call_packed("log", b, sinfo_args=(R.Object,))
        d = R.call_dps_packed("f", (b,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return d
