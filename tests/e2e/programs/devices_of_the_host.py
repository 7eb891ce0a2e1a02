# run: --random
from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            a = R.to_vdevice(x, "llvm:0")
            b = R.add(a, a)
            c = R.hint_on_device(b, R.device("cpu"))
            d = R.add(c, b)
            e = R.multiply(d, c)
            R.output(e)
        return e
