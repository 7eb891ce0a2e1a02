# run: --random --size n=2 --size t=3
# run: --random --size n=1 --size t=1
# run: --random --size n=5 --size t=4
# close
# Batch and length stay open through operators that gather, rank, resize, normalise and recur.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n", 4, "t"), "float32"),
        w: R.Tensor((4, 2, 3), "float32"),
        gamma: R.Tensor((4,), "float32"),
        at: R.Tensor(("n", 2, "t"), "int32"),
        gates: R.Tensor(("t", "n", 12), "float32"),
        r: R.Tensor((3, 12), "float32"),
        h: R.Tensor(("n", 3), "float32"),
        p: R.Tensor((9,), "float32"),
        lengths: R.Tensor(("n",), "int32"),
    ):
        n = T.int64()
        t = T.int64()
        up = R.nn.conv1d_transpose(x, w, strides=2, data_layout="NCW", kernel_layout="IOW")
        norm = R.nn.group_norm(x, gamma, gamma, num_groups=2, channel_axis=1, axes=[2])
        inst = R.nn.instance_norm(x, gamma, gamma, channel_axis=1, axes=[2])
        picked = R.gather_elements(x, at, axis=1)
        put = R.scatter_elements(x, at, picked, axis=1, reduction="add")
        ranked = R.sort(put, axis=0)
        order = R.argsort(x, axis=-1, descending=True)
        wide = R.image.resize_axis(x, R.shape([7]), axis=2)
        same = R.image.resize_axis(wide, R.shape([t]), axis=2, method="nearest_neighbor")
        both = R.stack((norm, inst, ranked, same), axis=0)
        total = R.einsum((both, x), subscripts="anct,nct->an")
        steps = R.nn.lstm(gates, r, h, h, p, lengths)
        return (up, total, order, steps)
