# run: --random
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.script import relax as R


@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        c = (x, (x, (x, x), ()), x)
        d = c[1][1]
        e = (d, d, c, x, x)
        return e
