# run: tenon opt --passes=recognise_attention,dead_code %s
# Attention written out, with the permutations around it, is one operator.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("b", "s", 8), dtype="float32"), k: R.Tensor(("b", "t", 2, 4), dtype="float32"), v: R.Tensor(("b", "t", 2, 4), dtype="float32"), m: R.Tensor(("b", 1, 1, "t"), dtype="float32")) -> R.Tensor(("b", "s", 8), dtype="float32"):
        b = T.int64()
        s = T.int64()
        t = T.int64()
        with R.dataflow():
            q = R.reshape(x, R.shape([b, s, 2, 4]))
            qt = R.permute_dims(q, axes=[0, 2, 1, 3])
            kt = R.permute_dims(k, axes=[0, 2, 3, 1])
            vt = R.permute_dims(v, axes=[0, 2, 1, 3])
            a = R.matmul(qt, kt)
            c = R.multiply(a, R.const(0.5, "float32"))
            d = R.add(c, m)
            p = R.nn.softmax(d, axis=-1)
            o = R.matmul(p, vt)
            ot = R.permute_dims(o, axes=[0, 2, 1, 3])
            y = R.reshape(ot, R.shape([b, s, 8]))
            R.output(y)
        return y
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("b", "s", 8), dtype="float32"), k: R.Tensor(("b", "t", 2, 4), dtype="float32"), v: R.Tensor(("b", "t", 2, 4), dtype="float32"), m: R.Tensor(("b", 1, 1, "t"), dtype="float32")) -> R.Tensor(("b", "s", 8), dtype="float32"):
        b = T.int64()
        s = T.int64()
        t = T.int64()
        with R.dataflow():
            q: R.Tensor((b, s, 2, 4), dtype="float32") = R.reshape(x, R.shape([b, s, 2, 4]))
            ot: R.Tensor((b, s, 2, 4), dtype="float32") = R.nn.attention_bias(q, k, v, m, scale=0.5)
            y: R.Tensor((b, s, 8), dtype="float32") = R.reshape(ot, R.shape([b, s, 8]))
            R.output(y)
        return y
