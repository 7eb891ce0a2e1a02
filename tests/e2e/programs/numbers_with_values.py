# run: --random --size n=3
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T

@I.ir_module
class M:
    @T.prim_func(private=True)
    def fill(y: T.handle, k: T.int64):
        n = T.int64()
        Y = T.match_buffer(y, (n,), "int64")
        for i in range(n):
            Y[i] = k

    @R.function(private=True)
    def inner(s: R.Shape(["m"]), m2: R.Prim(value="m + 1"), _: R.Prim(value="k"), t: R.Tuple(R.Prim("float32"), R.Prim(value="k * 2"))) -> R.Tensor(("m + k",), "int64"):
        m, k = T.int64(), T.int64()
        cls = M
        y = R.call_tir(cls.fill, (), out_sinfo=R.Tensor((m + k,), "int64"), tir_vars=R.shape([k]))
        return y

    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n + 5",), "int64"):
        n = T.int64()
        cls = M
        y = cls.inner(R.shape([n]), R.prim_value(n + 1), R.prim_value(5), (R.prim_value(T.float32(1.5)), R.prim_value(10)))
        return y
