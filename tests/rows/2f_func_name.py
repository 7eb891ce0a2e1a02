# row: another name for a function
# section: 2f
# does: refused given-twice
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_name("other")  #<
        return x
