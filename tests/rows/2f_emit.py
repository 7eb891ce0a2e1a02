# row: emit
# section: 2f
# does: runs
# args: --size n=3
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor("float32", ndim=1):
        m = T.int64()
        lv = R.emit(R.add(x, x))  #<
        lv1 = R.emit_match_cast(lv, R.Tensor((m,), "float32"))  #<
        return lv1
