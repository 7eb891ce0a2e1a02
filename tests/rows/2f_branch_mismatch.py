# row: if whose branches end with two names
# section: 2f
# does: refused branch-mismatch
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        if c:
            y = R.add(x, x)  #<
        else:
            z = R.multiply(x, x)  #<
        return y
