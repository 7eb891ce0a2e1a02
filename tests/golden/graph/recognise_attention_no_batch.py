# run: tenon opt --passes=recognise_attention,dead_code %s
# Attention without a batch dimension is that of a batch of one.
@I.ir_module
class M:
    @R.function
    def main(q: R.Tensor(("s", 2, 4), dtype="float32"), k: R.Tensor(("t", 2, 4), dtype="float32"), v: R.Tensor(("t", 2, 4), dtype="float32")) -> R.Tensor(("s", 2, 4), dtype="float32"):
        s = T.int64()
        t = T.int64()
        with R.dataflow():
            qt = R.permute_dims(q, axes=[1, 0, 2])
            qs = R.multiply(qt, R.const(0.5, "float32"))
            kt = R.permute_dims(k, axes=[1, 2, 0])
            vt = R.permute_dims(v, axes=[1, 0, 2])
            a = R.matmul(qs, kt)
            p = R.nn.softmax(a, axis=-1)
            o = R.matmul(p, vt)
            y = R.permute_dims(o, axes=[1, 0, 2])
            R.output(y)
        return y
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(q: R.Tensor(("s", 2, 4), dtype="float32"), k: R.Tensor(("t", 2, 4), dtype="float32"), v: R.Tensor(("t", 2, 4), dtype="float32")) -> R.Tensor(("s", 2, 4), dtype="float32"):
        s = T.int64()
        t = T.int64()
        with R.dataflow():
            lv: R.Tensor((1, s, 2, 4), dtype="float32") = R.reshape(q, R.shape([1, s, 2, 4]))
            lv_1: R.Tensor((1, t, 2, 4), dtype="float32") = R.reshape(k, R.shape([1, t, 2, 4]))
            lv_2: R.Tensor((1, t, 2, 4), dtype="float32") = R.reshape(v, R.shape([1, t, 2, 4]))
            lv_3: R.Tensor((1, s, 2, 4), dtype="float32") = R.nn.attention(lv, lv_1, lv_2, scale=0.5)
            y: R.Tensor((s, 2, 4), dtype="float32") = R.reshape(lv_3, R.shape([s, 2, 4]))
            R.output(y)
        return y
