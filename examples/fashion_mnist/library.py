# The same network as all_tensorir.py, with the work left to functions of the host program: it
# registers env.linear(x, w, b, out) and env.relu(x, out) by name before the first call (demo.c
# does), and each writes into its last argument, which call_dps_packed allocates.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class FashionLibrary:
    @R.function
    def main(
        x: R.Tensor((1, 784), dtype="float32"),
        w0: R.Tensor((128, 784), dtype="float32"),
        b0: R.Tensor((128,), dtype="float32"),
        w1: R.Tensor((10, 128), dtype="float32"),
        b1: R.Tensor((10,), dtype="float32"),
    ) -> R.Tensor((1, 10), dtype="float32"):
        with R.dataflow():
            lv0 = R.call_dps_packed(
                "env.linear", (x, w0, b0), out_sinfo=R.Tensor((1, 128), dtype="float32")
            )
            lv1 = R.call_dps_packed(
                "env.relu", (lv0,), out_sinfo=R.Tensor((1, 128), dtype="float32")
            )
            out = R.call_dps_packed(
                "env.linear", (lv1, w1, b1), out_sinfo=R.Tensor((1, 10), dtype="float32")
            )
            R.output(out)
        return out
