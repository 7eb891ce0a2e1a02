# row: constants kept beside the text
# section: 2f
# does: refused missing-constant, unless FILE.npz stands beside it
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.add(x, metadata["relax.expr.Constant"][0])  #<
        return y
