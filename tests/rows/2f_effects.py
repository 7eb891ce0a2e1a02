# row: effects
# section: 2f
# does: runs
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function(pure=False)  #<
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        c = R.const(True, "bool")
        _ = R.print(x, format="x: {}")  #<
        _1 = R.assert_op(c, x, format="x is {}")  #<
        return x
