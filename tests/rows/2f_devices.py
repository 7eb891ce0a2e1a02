# row: devices
# section: 2f
# does: runs, where they name the host: other devices print
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        a = R.to_vdevice(x, "llvm:0")  #<
        b = R.hint_on_device(a, R.device("cpu"))  #<
        c = R.hint_on_device(b, R.cpu(0))  #<
        d = R.add(c, c)
        return d
