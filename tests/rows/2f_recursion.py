# row: recursion
# section: 2f
# does: runs
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function(private=True)
    def times(x: R.Tensor((4,), "float32"), k: R.Tensor((), "int64")) -> R.Tensor((4,), "float32"):
        cls = Module
        c = R.less(k, R.const(1, "int64"))
        if c:
            y = x
        else:
            a = R.add(x, x)
            j = R.subtract(k, R.const(1, "int64"))
            y = cls.times(a, j)  #<
        return y
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        y = cls.times(x, R.const(5, "int64"))
        return y
