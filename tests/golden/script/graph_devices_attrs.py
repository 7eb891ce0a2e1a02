# run: tenon fmt %s
# Devices, function attributes.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"num_input": 1, "name": "n"})
        y = R.hint_on_device(x, R.device("cpu"))
        z = R.to_vdevice(y, "cpu:0")
        return x
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"num_input": 1, "name": "n"})
        y: R.Tensor((4,), dtype="float32") = R.hint_on_device(x, device="cpu:0")
        z: R.Tensor((4,), dtype="float32") = R.to_vdevice(y, dst_vdevice="cpu:0")
        return x
