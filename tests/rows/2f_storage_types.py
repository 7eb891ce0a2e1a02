# row: storage types
# section: 2f
# does: runs, moved and converted, not computed with
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3, 5), dtype="float32")):
        a = R.astype(x, dtype="float8_e4m3fn")  #<
        b = R.permute_dims(R.concat((a, a), axis=0))
        c = R.astype(b, dtype="int4")  #<
        d = R.astype(R.const([1, 2, -3], dtype="int4"), dtype="float32")  #<
        return (b, c, d)
