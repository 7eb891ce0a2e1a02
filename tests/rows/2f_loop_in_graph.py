# row: loops
# section: 2f
# does: refused unsupported, a graph function repeats by recursion
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        for i in range(3):  #<
            y = R.add(x, x)
        return y
