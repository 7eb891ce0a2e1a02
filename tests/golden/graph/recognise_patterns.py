# run: tenon opt --passes=recognise_patterns,dead_code %s
# A layer norm, a softmax and a GELU as exporters write them out.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 8), dtype="float32"), g: R.Tensor((8,), dtype="float32"), b: R.Tensor((8,), dtype="float32")) -> R.Tensor(("n", 8), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            mean = R.mean(x, axis=[-1], keepdims=True)
            d = R.subtract(x, mean)
            sq = R.power(d, R.const(2.0, "float32"))
            var = R.mean(sq, axis=[-1], keepdims=True)
            ve = R.add(var, R.const(1e-5, "float32"))
            s = R.sqrt(ve)
            q = R.divide(d, s)
            qg = R.multiply(q, g)
            y = R.add(qg, b)
            m = R.max(y, axis=[-1], keepdims=True)
            ym = R.subtract(y, m)
            e = R.exp(ym)
            es = R.sum(e, axis=[-1], keepdims=True)
            sm = R.divide(e, es)
            u = R.divide(sm, R.const(1.4142135, "float32"))
            erf = R.erf(u)
            one = R.add(erf, R.const(1.0, "float32"))
            xo = R.multiply(sm, one)
            z = R.multiply(xo, R.const(0.5, "float32"))
            R.output(z)
        return z
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 8), dtype="float32"), g: R.Tensor((8,), dtype="float32"), b: R.Tensor((8,), dtype="float32")) -> R.Tensor(("n", 8), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            y: R.Tensor((n, 8), dtype="float32") = R.nn.layer_norm(x, g, b, axes=[1], epsilon=9.999999747378752e-06, center=True, scale=True)
            sm: R.Tensor((n, 8), dtype="float32") = R.nn.softmax(y, axis=1)
            z: R.Tensor((n, 8), dtype="float32") = R.nn.gelu(sm)
            R.output(z)
        return z
