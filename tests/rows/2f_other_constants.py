# row: texts, dtypes, the absent object
# section: 2f
# does: prints
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        a = R.str("s")  #<
        b = R.dtype("float32")  #<
        c = R.null_value()  #<
        return (a, b, c)
