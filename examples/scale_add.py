# Y = 2 X + B, the smallest program with both levels.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class ScaleAdd:
    @T.prim_func
    def scale_add(
        X: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), Y: T.Buffer((4,), "float32")
    ):
        for i in range(4):
            with T.block("Y"):
                vi = T.axis.spatial(4, i)
                Y[vi] = X[vi] * T.float32(2) + B[vi]

    @R.function
    def main(
        x: R.Tensor((4,), dtype="float32"), b: R.Tensor((4,), dtype="float32")
    ) -> R.Tensor((4,), dtype="float32"):
        cls = ScaleAdd
        with R.dataflow():
            y = R.call_tir(cls.scale_add, (x, b), out_sinfo=R.Tensor((4,), dtype="float32"))
            R.output(y)
        return y
