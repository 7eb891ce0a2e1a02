# row: binding with a type that is not the value's
# section: 2f
# does: refused type-mismatch
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        lv: R.Tensor((5,), "float32") = R.add(x, x)  #<
        return lv
