# row: types of tensors
# section: 2f
# does: prints, a shape or rank that is not known is not invented
# --- 2022
@tvm.script.ir_module
class Module:
    @R.function
    def f(a: Tensor((1, 784), "float32"), b: Tensor((n, 4), dtype="float32"), c: Tensor(ndim=2), d: Tensor(dtype="float32"), e: Tensor, g: Tensor((4,), "float32", vdevice="cuda:0")) -> Tensor((n, 4), "float32"):  #<
        return b
# --- 2023
@I.ir_module
class Module:
    @R.function
    def f(a: R.Tensor((1, 784), "float32"), b: R.Tensor(("n", 4), dtype="float32"), c: R.Tensor(ndim=2), d: R.Tensor(dtype="float32"), e: R.Tensor, g: R.Tensor((4,), "float32", vdevice="cuda:0")) -> R.Tensor(("n", 4), "float32"):  #<
        return b
# --- 2026
@I.ir_module
class Module:
    @R.function
    def f(a: R.Tensor((1, 784), "float32"), b: R.Tensor(("n", 4), dtype="float32"), c: R.Tensor(ndim=2), d: R.Tensor(dtype="float32"), e: R.Tensor, g: R.Tensor((4,), "float32", vdevice="cuda:0")) -> R.Tensor(("n", 4), "float32"):  #<
        return b
