# run: tenon opt --passes=cse %s
# Of equal pure calls the first one's value serves all, also inside branches; what a branch computes stays its own.
# Where calls write into their arguments, nothing is shared.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor((4,), dtype="float32"):
        with R.dataflow():
            a = R.exp(x)
            b = R.exp(x)
            d = R.add(a, R.const(2.0, "float32"))
            e = R.add(b, R.const(2.0, "float32"))
            f = R.multiply(d, e)
            R.output(f, b)
        g = R.exp(f)
        if c:
            h = R.exp(f)
            i = R.tanh(h)
            j = i
        else:
            k = R.tanh(g)
            j = k
        l = R.tanh(g)
        m = R.add(b, l)
        n = R.add(j, m)
        return n

    @T.prim_func(private=True)
    def double(x: T.handle):
        X = T.match_buffer(x, (4,))
        for i in range(4):
            X[i] = X[i] * T.float32(2)

    @R.function
    def written(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        a = R.exp(x)
        b = R.exp(x)
        c = R.call_tir_inplace(cls.double, (a,), inplace_indices=[0], out_sinfo=R.Tensor((4,), dtype="float32"))
        d = R.add(b, c)
        return d
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func(private=True)
    def double(X: T.Buffer((4,), "float32")):
        for i in range(4):
            X[i] = X[i] * T.float32(2.0)

    @R.function
    def written(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        a: R.Tensor((4,), dtype="float32") = R.exp(x)
        b: R.Tensor((4,), dtype="float32") = R.exp(x)
        c = R.call_tir_inplace(cls.double, (a,), out_sinfo=R.Tensor((4,), dtype="float32"), inplace_indices=[0])
        d: R.Tensor((4,), dtype="float32") = R.add(b, c)
        return d

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor((4,), dtype="float32"):
        with R.dataflow():
            a: R.Tensor((4,), dtype="float32") = R.exp(x)
            d: R.Tensor((4,), dtype="float32") = R.add(a, R.const(2.0, "float32"))
            f: R.Tensor((4,), dtype="float32") = R.multiply(d, d)
            R.output(f, a)
        g: R.Tensor((4,), dtype="float32") = R.exp(f)
        if c:
            j: R.Tensor((4,), dtype="float32") = R.tanh(g)
        else:
            j: R.Tensor((4,), dtype="float32") = R.tanh(g)
        l: R.Tensor((4,), dtype="float32") = R.tanh(g)
        m: R.Tensor((4,), dtype="float32") = R.add(a, l)
        n: R.Tensor((4,), dtype="float32") = R.add(j, m)
        return n
