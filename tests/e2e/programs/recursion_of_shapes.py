# run: --random --size n=0
# run: --random --size n=3
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.script import relax as R


@I.ir_module
class M:
    @R.function
    def f(x: R.Tensor(("n",), "float32"), k: R.Tensor((), "int64")) -> R.Tensor(ndim=1, dtype="float32"):
        n = T.int64()
        cls = M
        c = R.greater(k, R.const(0, "int64"))
        if c:
            m = R.subtract(k, R.const(1, "int64"))
            y = R.reshape(x, R.shape([n, 1]))
            z = R.permute_dims(R.add(y, R.const([[1.0, 2.0]], "float32")), axes=[1, 0])
            w = R.reshape(z, R.shape([n * 2]))
            r = cls.f(w, m)
        else:
            r = R.add(x, R.const(0.5, "float32"))
        return r
    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        cls = M
        r = cls.f(x, R.const(3, "int64"))
        m = T.int64()
        s = R.match_cast(r, R.Tensor((m,), "float32"))
        return (s, R.sum(s), R.prim_value(m))
