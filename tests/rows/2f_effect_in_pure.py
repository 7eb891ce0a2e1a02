# row: effect in a function that is pure
# section: 2f
# does: refused impure-in-pure
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        _ = R.print(x, format="x: {}")  #<
        return x
