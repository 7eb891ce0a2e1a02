# run: --random --size n=3
# run: --random --size n=5
# fails: match_cast
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")):
        y = R.match_cast(x, R.Tensor((4, 4), "float32"))
        return y
