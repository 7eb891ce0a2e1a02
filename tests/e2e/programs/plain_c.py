# Three results of one input whose number of rows is open; the last one is refused for sums that are not positive.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Net:
    @T.prim_func(private=True)
    def positive(x: T.handle, y: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n,), "float32")
        Y = T.match_buffer(y, (n,), "float32")
        for i in range(n):
            with T.block("Y"):
                vi = T.axis.spatial(n, i)
                assert X[vi] > T.float32(0), "sums must be positive"
                Y[vi] = X[vi]

    @T.prim_func(private=True)
    def twice(x: T.handle, y: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n, 8), "float32")
        Y = T.match_buffer(y, (n, 8), "float32")
        rows = T.alloc_buffer((n, 8), "float32")
        for i, j in T.grid(n, 8):
            with T.block("copy"):
                vi, vj = T.axis.remap("SS", [i, j])
                rows[vi, vj] = X[vi, vj]
        for i in T.parallel(n):
            for j in range(8):
                with T.block("Y"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    Y[vi, vj] = X[vi, vj] + rows[vi, vj]

    @R.function
    def main(x: R.Tensor(("n", 8), dtype="float32")):
        n = T.int64()
        R.func_attr({"output_names": ["softmax", "int", "sum/0"]})
        cls = Net
        with R.dataflow():
            s = R.nn.softmax(x, axis=-1)
            t = R.call_tir(cls.twice, (x,), out_sinfo=R.Tensor((n, 8), dtype="float32"))
            total = R.sum(x, axis=1)
            p = R.call_tir(cls.positive, (total,), out_sinfo=R.Tensor((n,), dtype="float32"))
            R.output(s, t, p)
        return (s, t, p)
