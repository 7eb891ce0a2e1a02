# row: function as an argument and as a result
# section: 2f
# does: runs
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function(private=True)
    def adder(x: R.Tensor((4,), "float32")) -> R.Callable((R.Tensor((4,), "float32"),), R.Tensor((4,), "float32"), True):  #<
        @R.function
        def inner(z: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            v = R.add(x, z)
            return v
        return inner  #<
    @R.function(private=True)
    def twice(f: R.Callable((R.Tensor((4,), "float32"),), R.Tensor((4,), "float32"), True), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):  #<
        y = f(x)  #<
        z = f(y)
        return z
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        f = cls.adder(x)
        y = cls.twice(f, x)  #<
        return y
