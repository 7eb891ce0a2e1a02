# row: tuples
# section: 2f
# does: runs
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((2,), "float32")):
        t = (x, (y, x))  #<
        u = R.tuple(t[1], t[0])  #<
        v = R.tuple_get_item(u, 0)  #<
        return (v[0], u)
