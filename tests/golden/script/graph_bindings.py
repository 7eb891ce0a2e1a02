# run: tenon fmt %s
# Bindings with and without a type, outside and inside dataflow blocks.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y: R.Tensor((4,), dtype="float32") = R.call_dps_packed("env.relu", (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        with R.dataflow():
            a = R.call_dps_packed("env.relu", (y,), out_sinfo=R.Tensor((4,), dtype="float32"))
            b: R.Tensor((4,), "float32") = R.call_dps_packed("env.relu", (a,), out_sinfo=R.Tensor((4,), dtype="float32"))
            R.output(b)
        with R.dataflow():
            c = b
            d = R.call_dps_packed("env.relu", (c,), out_sinfo=R.Tensor((4,), dtype="float32"))
            R.output(c, d)
        return d
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y = R.call_dps_packed("env.relu", (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        with R.dataflow():
            a = R.call_dps_packed("env.relu", (y,), out_sinfo=R.Tensor((4,), dtype="float32"))
            b = R.call_dps_packed("env.relu", (a,), out_sinfo=R.Tensor((4,), dtype="float32"))
            R.output(b)
        with R.dataflow():
            c = b
            d = R.call_dps_packed("env.relu", (c,), out_sinfo=R.Tensor((4,), dtype="float32"))
            R.output(c, d)
        return d
