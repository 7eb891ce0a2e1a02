# run: --random
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@R.macro
def doubled(a, times=2):
    b = R.add(a, a)
    with R.dataflow():
        c = R.multiply(b, b)
        R.output(c)
    d = R.add(c, R.const(times, "float32"))
    return d


@R.macro(hygienic=False)
def shout():
    _ = R.print(x, format="{}")


@I.ir_module
class M:
    @R.macro
    def both(a):
        p = doubled(a)
        q = doubled(p, times=3)
        return (p, q)

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")):
        shout()
        b = doubled(x)
        doubled(b)
        t = both(b)
        if c:
            y = doubled(t[0])
        else:
            y = x
        return (t, y)
