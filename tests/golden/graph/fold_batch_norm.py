# run: tenon opt --passes=fold_batch_norm %s
# The scale of a batch norm by constants becomes arithmetic on weights, which fold_constants then computes.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 1, 8, 8), dtype="float32")) -> R.Tensor(("n", 2, 8, 8), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            w = R.const([[[[0.5]]], [[[2.0]]]], "float32")
            a = R.nn.conv2d(x, w)
            b = R.add(a, R.const([[[1.0]], [[-1.0]]], "float32"))
            t = R.nn.batch_norm(b, R.const([1.0, 2.0], "float32"), R.const([0.0, 3.0], "float32"), R.const([0.5, 0.25], "float32"), R.const([1.0, 4.0], "float32"), axis=1)
            y = t[0]
            R.output(y)
        return y
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 1, 8, 8), dtype="float32")) -> R.Tensor(("n", 2, 8, 8), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((2,), dtype="float32") = R.add(R.const([1.0, 4.0], "float32"), R.const(1e-05, "float32"))
            lv_1: R.Tensor((2,), dtype="float32") = R.rsqrt(lv)
            lv_2: R.Tensor((2,), dtype="float32") = R.multiply(R.const([1.0, 2.0], "float32"), lv_1)
            lv_3: R.Tensor((2,), dtype="float32") = R.multiply(R.const([0.5, 0.25], "float32"), lv_2)
            lv_4: R.Tensor((2,), dtype="float32") = R.subtract(R.const([0.0, 3.0], "float32"), lv_3)
            lv_5: R.Tensor((2, 1, 1), dtype="float32") = R.reshape(lv_4, R.shape([2, 1, 1]))
            lv_6: R.Tensor((2, 1, 1), dtype="float32") = R.reshape(lv_2, R.shape([2, 1, 1]))
            lv_7: R.Tensor((2, 1, 1), dtype="float32") = R.multiply(R.const([[[1.0]], [[-1.0]]], "float32"), lv_6)
            lv_8: R.Tensor((2, 1, 1, 1), dtype="float32") = R.reshape(lv_6, R.shape([2, 1, 1, 1]))
            lv_9: R.Tensor((2, 1, 1, 1), dtype="float32") = R.multiply(R.const([[[[0.5]]], [[[2.0]]]], "float32"), lv_8)
            lv_10: R.Tensor((n, 2, 8, 8), dtype="float32") = R.nn.conv2d(x, lv_9)
            lv_11: R.Tensor((2, 1, 1), dtype="float32") = R.add(lv_7, lv_5)
            y: R.Tensor((n, 2, 8, 8), dtype="float32") = R.add(lv_10, lv_11)
            R.output(y)
        return y
