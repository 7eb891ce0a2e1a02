# run: tenon opt --passes=clean_graph,dead_code %s
# A network that was exported with its channels last: the transposes meet and go, so do steps that do nothing.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 3, 8, 8), dtype="float32"), w: R.Tensor((4, 3, 3, 3), dtype="float32"), v: R.Tensor((4, 4, 1, 1), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            a = R.nn.conv2d(x, w)
            b = R.permute_dims(a, axes=[0, 2, 3, 1])
            c = R.add(b, R.const([0.1, 0.2, 0.3, 0.4], "float32"))
            d = R.nn.relu(c)
            e = R.nn.relu(d)
            f = R.permute_dims(e, axes=[0, 3, 1, 2])
            g = R.nn.conv2d(f, v)
            h = R.permute_dims(g, axes=[0, 2, 3, 1])
            i = R.multiply(h, R.const(1.0, "float32"))
            j = R.mean(i, axis=[1, 2])
            k = R.expand_dims(j, axis=[1])
            l = R.reshape(k, R.shape([n, 4]))
            o = R.nn.dropout(l, rate=0.5)
            p = o[0]
            q = R.concat((p,), axis=1)
            R.output(q)
        return q
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 3, 8, 8), dtype="float32"), w: R.Tensor((4, 3, 3, 3), dtype="float32"), v: R.Tensor((4, 4, 1, 1), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            a: R.Tensor((n, 4, 6, 6), dtype="float32") = R.nn.conv2d(x, w)
            lv: R.Tensor((1, 4, 1, 1), dtype="float32") = R.reshape(R.const([0.1, 0.2, 0.3, 0.4], "float32"), R.shape([1, 4, 1, 1]))
            lv_1: R.Tensor((n, 4, 6, 6), dtype="float32") = R.add(a, lv)
            f: R.Tensor((n, 4, 6, 6), dtype="float32") = R.nn.relu(lv_1)
            g: R.Tensor((n, 4, 6, 6), dtype="float32") = R.nn.conv2d(f, v)
            j: R.Tensor((n, 4), dtype="float32") = R.mean(g, axis=[2, 3])
            R.output(j)
        return j
