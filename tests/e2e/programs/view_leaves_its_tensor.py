# run: --random
# fails: leave
from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class M:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        a = R.memory.view(x, R.shape([4]), R.dtype("float32"), R.prim_value(4))
        return a
