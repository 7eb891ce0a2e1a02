# run: --random --size n=0
# run: --random --size n=2
# close
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.script import relax as R


@I.ir_module
class M:
    @T.prim_func
    def put_nan(A: T.Buffer((2, 3), "float32")):
        for i, j in T.grid(2, 3):
            A[i, j] = T.Select(i == j, T.float32("nan"), T.Cast("float32", j))

    @R.function
    def main(x: R.Tensor(("n", 3), "float32"), k: R.Tensor(("n",), "int8")):
        cls = M
        a = R.max(x, axis=0)
        b = R.min(k)
        c = R.sum(x)
        z = R.matmul(R.permute_dims(x), x)
        w = R.nn.softmax(x, axis=0)
        g = R.mean(x, axis=[0, 1], keepdims=True)
        y = R.call_tir(cls.put_nan, (), out_sinfo=R.Tensor((2, 3), "float32"))
        d = R.max(y, axis=1)
        e = R.min(y, axis=0)
        return (a, b, c, d, e, z, w, g)
