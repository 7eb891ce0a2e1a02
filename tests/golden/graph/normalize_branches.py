# run: tenon opt --passes=normalize %s
# Each branch and each function inside is normalised where it stands.
@I.ir_module
class M:
    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        if c:
            y = R.add(R.multiply(x, x), x)
        else:
            y = R.multiply(x, R.add(x, x))
        return R.nn.relu(y)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        if c:
            gv: R.Tensor((4,), dtype="float32") = R.multiply(x, x)
            y: R.Tensor((4,), dtype="float32") = R.add(gv, x)
        else:
            gv: R.Tensor((4,), dtype="float32") = R.add(x, x)
            y: R.Tensor((4,), dtype="float32") = R.multiply(x, gv)
        gv: R.Tensor((4,), dtype="float32") = R.nn.relu(y)
        return gv
