# run: not tenon check %s
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), w: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        @R.function
        def down(y: R.Tensor((n,), "float32"), k: R.Tensor((), "int64")):
            more = R.less(R.const(0, "int64"), k)
            if more:
                z = R.add(y, w)
                j = R.subtract(k, R.const(1, "int64"))
                r = down(z, j)
            else:
                r = y
            return r
        a = down(x, R.const(3, "int64"))
        return a
# expect:
%s:13:9: error: function 'down' calls itself: it needs the type of its result: -> R.Tensor(...) [missing-annotation]
        def down(y: R.Tensor((n,), "float32"), k: R.Tensor((), "int64")):
        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
