# run: --random
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class M:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((3,), "float32"), z: R.Tensor((4,), "float32")):
        if c:
            a = R.add(x, x)
            y = (a, x)
        else:
            b = R.negative(z)
            y = (x, b)
        w = y[1]
        u = R.match_cast(w, R.Tensor(("q",), "float32"))
        return (u, y)
