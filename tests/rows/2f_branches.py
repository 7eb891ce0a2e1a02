# row: if
# section: 2f
# does: runs
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        if c:  #<
            a = R.add(x, x)
            y = R.multiply(a, x)  #<
        else:  #<
            y = x  #<
        z = R.add(y, x)
        return z
