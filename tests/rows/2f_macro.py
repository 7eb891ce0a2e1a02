# row: macro
# section: 2f
# does: runs, expanded where it is called
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.macro  #<
    def doubled(a, times=2):  #<
        b = R.add(a, a)
        c = R.multiply(b, R.const(times, "float32"))
        return c  #<

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = doubled(x, times=3)  #<
        return y
