# row: binding, with and without a type
# section: 2f
# does: runs, the type is checked against the inferred one
# same: 2026
# --- 2022
@tvm.script.ir_module
class Module:
    @R.function
    def main(x: Tensor((4,), "float32"), y: Tensor((4,), "float32")):
        lv = R.add(x, y)  #<
        lv1: Tensor((4,), "float32") = R.add(lv, y)  #<
        return lv1
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        lv = R.add(x, y)  #<
        lv1: R.Tensor((4,), dtype="float32") = R.add(lv, y)  #<
        return lv1
