# run: tenon fmt %s
# Every type.
@I.ir_module
class M:
    @R.function
    def main(
        a: R.Tensor((1, 784), "float32"),
        b: R.Tensor(("n", 4), dtype="float32"),
        c: R.Tensor(ndim=2),
        d: R.Tensor(dtype="float32"),
        e: R.Tensor,
        f: R.Tensor((4,), "float32", vdevice="cpu:0"),
        g: R.Shape(["n", 4]),
        h: R.Shape(ndim=2),
        i: R.Tuple(R.Tensor((2,), "int32"), R.Shape),
        j: R.Prim("int64"),
        k: R.Object,
        l: R.Callable((R.Tensor((4,), "float32"),), R.Tensor((4,), "float32"), True),
        m: R.Tensor(dtype="float16", ndim=3),
        o: R.Tensor((), "float32"),
        p: R.Tuple(),
        q: R.Prim(value="n"),
    ) -> R.Tensor((1, 784), "float32"):
        return a
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(a: R.Tensor((1, 784), dtype="float32"), b: R.Tensor(("n", 4), dtype="float32"), c: R.Tensor(ndim=2), d: R.Tensor(dtype="float32"), e: R.Tensor, f: R.Tensor((4,), dtype="float32", vdevice="cpu:0"), g: R.Shape(["n", 4]), h: R.Shape(ndim=2), i: R.Tuple(R.Tensor((2,), dtype="int32"), R.Shape), j: R.Prim("int64"), k: R.Object, l: R.Callable((R.Tensor((4,), dtype="float32"),), R.Tensor((4,), dtype="float32"), True), m: R.Tensor(dtype="float16", ndim=3), o: R.Tensor((), dtype="float32"), p: R.Tuple(), q: R.Prim(value="n")) -> R.Tensor((1, 784), dtype="float32"):
        return a
