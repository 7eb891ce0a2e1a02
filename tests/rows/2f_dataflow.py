# row: dataflow block
# section: 2f
# does: runs, what R.output does not name stays inside
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():  #<
            a = R.add(x, x)
            b = R.multiply(a, a)
            R.output(b)  #<
        return b
