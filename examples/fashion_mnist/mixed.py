# Both kinds in one module: the hidden layer is a loop function that the compiler makes, ReLU and
# the output layer come from the host program by name (see library.py).
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class FashionMixed:
    @T.prim_func
    def linear0(
        X: T.Buffer((1, 784), "float32"),
        W: T.Buffer((128, 784), "float32"),
        B: T.Buffer((128,), "float32"),
        Z: T.Buffer((1, 128), "float32"),
    ):
        T.func_attr({"tir.noalias": True})
        Y = T.alloc_buffer((1, 128), "float32")
        for i, j, k in T.grid(1, 128, 784):
            with T.block("Y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + X[vi, vk] * W[vj, vk]
        for i, j in T.grid(1, 128):
            with T.block("Z"):
                vi, vj = T.axis.remap("SS", [i, j])
                Z[vi, vj] = Y[vi, vj] + B[vj]

    @R.function
    def main(
        x: R.Tensor((1, 784), dtype="float32"),
        w0: R.Tensor((128, 784), dtype="float32"),
        b0: R.Tensor((128,), dtype="float32"),
        w1: R.Tensor((10, 128), dtype="float32"),
        b1: R.Tensor((10,), dtype="float32"),
    ) -> R.Tensor((1, 10), dtype="float32"):
        cls = FashionMixed
        with R.dataflow():
            lv0 = R.call_tir(
                cls.linear0, (x, w0, b0), out_sinfo=R.Tensor((1, 128), dtype="float32")
            )
            lv1 = R.call_dps_packed(
                "env.relu", (lv0,), out_sinfo=R.Tensor((1, 128), dtype="float32")
            )
            out = R.call_dps_packed(
                "env.linear", (lv1, w1, b1), out_sinfo=R.Tensor((1, 10), dtype="float32")
            )
            R.output(out)
        return out
