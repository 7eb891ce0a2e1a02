# row: library function as a member
# section: 2f
# does: prints, and runs where a host registers it
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    ext = R.ExternFunc("my_ext")  #<

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")) -> R.Object:
        cls = Module
        y = cls.ext(x)  #<
        return y
