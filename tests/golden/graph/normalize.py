# run: tenon opt --passes=normalize %s
# Nested expressions become bindings of their own; what is simple stays.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")):
        with R.dataflow():
            a = R.add(R.multiply(x, y), R.nn.relu(x))
            t = (R.add(a, a), x)
            b = R.add(t[0], t[1])
            R.output(b)
        return (R.add(b, b), b)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")):
        with R.dataflow():
            gv: R.Tensor((4,), dtype="float32") = R.multiply(x, y)
            gv_1: R.Tensor((4,), dtype="float32") = R.nn.relu(x)
            a: R.Tensor((4,), dtype="float32") = R.add(gv, gv_1)
            gv_2: R.Tensor((4,), dtype="float32") = R.add(a, a)
            t: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = (gv_2, x)
            gv_3: R.Tensor((4,), dtype="float32") = t[0]
            gv_4: R.Tensor((4,), dtype="float32") = t[1]
            b: R.Tensor((4,), dtype="float32") = R.add(gv_3, gv_4)
            R.output(b)
        gv_5: R.Tensor((4,), dtype="float32") = R.add(b, b)
        gv_6: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = (gv_5, b)
        return gv_6
