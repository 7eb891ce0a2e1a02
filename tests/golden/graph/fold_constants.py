# run: tenon opt --passes=fold_constants %s
# What is known is computed; a shape says what the type says; what would grow large, or depends on x, stays.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 2), dtype="float32")) -> R.Tuple(R.Tensor(("n", 2), dtype="float32"), R.Tensor((2,), dtype="float32"), R.Tensor((4000, 4000), dtype="float32"), R.Shape(["n", 2]), R.Tensor((2,), dtype="int64")):
        n = T.int64()
        with R.dataflow():
            w = R.const([[1.0, 2.0], [3.0, 4.0]], "float32")
            wt = R.permute_dims(w)
            ws = R.multiply(wt, R.const(2.0, "float32"))
            y = R.matmul(x, ws)
            parts = R.split(ws, indices_or_sections=2, axis=0)
            p = parts[1]
            q = R.squeeze(p, axis=[0])
            z = R.zeros(R.shape([4000, 4000]), dtype="float32")
            s = R.shape_of(x)
            t = R.shape_to_tensor(R.shape([3, 4]))
            gv = (y, q, z, s, t)
            R.output(gv)
        return gv
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 2), dtype="float32")) -> R.Tuple(R.Tensor(("n", 2), dtype="float32"), R.Tensor((2,), dtype="float32"), R.Tensor((4000, 4000), dtype="float32"), R.Shape(["n", 2]), R.Tensor((2,), dtype="int64")):
        n = T.int64()
        with R.dataflow():
            y: R.Tensor((n, 2), dtype="float32") = R.matmul(x, R.const([[2.0, 6.0], [4.0, 8.0]], "float32"))
            z: R.Tensor((4000, 4000), dtype="float32") = R.zeros(R.shape([4000, 4000]), dtype="float32")
            gv: R.Tuple(R.Tensor((n, 2), dtype="float32"), R.Tensor((2,), dtype="float32"), R.Tensor((4000, 4000), dtype="float32"), R.Shape([n, 2]), R.Tensor((2,), dtype="int64")) = (y, R.const([4.0, 8.0], "float32"), z, R.shape([n, 2]), R.const([3, 4], "int64"))
            R.output(gv)
        return gv
