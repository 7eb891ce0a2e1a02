# run: tenon opt --bind w=models/fashion_mnist/fashion_mlp.npz:b1 --passes=dead_code %s
# A parameter becomes a constant, and main takes one argument less.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((10,), dtype="float32"), w: R.Tensor((10,), dtype="float32")) -> R.Tensor((10,), dtype="float32"):
        a = R.call_dps_packed("env.add", (x, w), out_sinfo=R.Tensor((10,), dtype="float32"))
        return a
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((10,), dtype="float32")) -> R.Tensor((10,), dtype="float32"):
        a = R.call_dps_packed("env.add", (x, metadata["relax.expr.Constant"][0]), out_sinfo=R.Tensor((10,), dtype="float32"))
        return a
