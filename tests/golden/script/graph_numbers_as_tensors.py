# run: tenon fmt %s
# Numbers that stand where a tensor does, and tensors that stand where a number does; a promise of TVM's
# that changes nothing.
@R.function
def main(x: R.Tensor((4,), "int32"), y: R.Tensor(("n", 8), "float32")):
    a = R.one_hot(x, R.prim_value(T.float32(1)), R.prim_value(T.float32(0)), depth=8, axis=-1)
    b = R.nn.pad(y, pad_width=[1, 1, 2, 2], pad_value=R.const(1.5, "float32"))
    c = R.strided_slice(y, axes=[1], begin=[1], end=[4], assume_inbound=True)
    return (a, b, c)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="int32"), y: R.Tensor(("n", 8), dtype="float32")) -> R.Tuple(R.Tensor((4, 8), dtype="float32"), R.Tensor(("n + 2", 12), dtype="float32"), R.Tensor(("n", 3), dtype="float32")):
        n = T.int64()
        a: R.Tensor((4, 8), dtype="float32") = R.one_hot(x, R.const(1.0, "float32"), R.const(0.0, "float32"), depth=8, axis=-1)
        b: R.Tensor((n + 2, 12), dtype="float32") = R.nn.pad(y, pad_width=[1, 1, 2, 2], pad_value=1.5)
        c: R.Tensor((n, 3), dtype="float32") = R.strided_slice(y, axes=[1], begin=[1], end=[4], assume_inbound=True)
        return (a, b, c)
