# run: --random
# fails: R.to_vdevice: there is no device 'cuda:0': code is made for the cpu
from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        a = R.to_vdevice(x, "cuda:0")
        return a
