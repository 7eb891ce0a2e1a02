# run: --random --size n=2 --size m=3
# run: --random --size n=2 --size m=0
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.script import relax as R


@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")):
        n, m = T.int64(), T.int64()
        a = R.reshape(x, R.shape([n * m]))
        b = R.reshape(a, R.shape([m, 1, n]))
        c = R.reshape(b, (-1, n))
        return (a, b, c)
