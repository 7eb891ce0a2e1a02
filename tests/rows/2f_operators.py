# row: operators as signs and methods
# section: 2f
# does: runs
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(a: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32")):
        x = a + b - a * b / a  #<
        c = a < b  #<
        d = -a  #<
        t = (x, d)
        e = t[0]  #<
        f = e.astype("float16")  #<
        return (c, d, e, f)
