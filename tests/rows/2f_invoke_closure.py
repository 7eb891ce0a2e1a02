# row: function value that may have effects
# section: 2f
# does: runs
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        @R.function(pure=False)
        def inner(y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            _ = R.print(y, x, format="{} {}")
            z = R.add(y, x)
            return z
        a = R.invoke_closure(inner, (x,), sinfo_args=(R.Tensor((4,), "float32"),))  #<
        return a
