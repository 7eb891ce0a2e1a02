# row: constants
# section: 2f
# does: runs
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        a = R.add(x, R.const(1.5, "float32"))  #<
        b = R.const([[1, 2], [3, 4]], "int32")  #<
        c = R.prim_value(3)  #<
        d = R.shape([1, 2])  #<
        return (a, b, c, d)
