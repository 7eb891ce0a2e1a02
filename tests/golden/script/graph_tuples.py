# run: tenon fmt %s
# Tuples in each spelling.
@I.ir_module
class M:
    @R.function
    def main(a: R.Tensor((4,), dtype="float32"), b: R.Tensor((2,), dtype="int32")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((2,), dtype="int32")):
        t = (a, b)
        u = R.tuple(a, b)
        v = (a,)
        w = ()
        n = (t, (a, b))
        x = t[0]
        y = R.tuple_get_item(u, 1)
        z = n[1][0]
        return (x, y)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(a: R.Tensor((4,), dtype="float32"), b: R.Tensor((2,), dtype="int32")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((2,), dtype="int32")):
        t: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((2,), dtype="int32")) = (a, b)
        u: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((2,), dtype="int32")) = (a, b)
        v: R.Tuple(R.Tensor((4,), dtype="float32")) = (a,)
        w: R.Tuple() = ()
        n: R.Tuple(R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((2,), dtype="int32")), R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((2,), dtype="int32"))) = (t, (a, b))
        x: R.Tensor((4,), dtype="float32") = t[0]
        y: R.Tensor((2,), dtype="int32") = u[1]
        z: R.Tensor((4,), dtype="float32") = n[1][0]
        return (x, y)
