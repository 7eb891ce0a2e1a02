# row: symbolic sizes
# section: 2f
# does: runs
# args: --size n=3
# same: 2026
# --- 2022
@tvm.script.ir_module
class Module:
    @R.function
    def main(x: Tensor((n, 4), "float32")) -> Tensor((n * 4,), "float32"):  #<
        z: Tensor((n * 4,), "float32") = R.reshape(x, (n * 4,))  #<
        return z
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")) -> R.Tensor(("n * 4",), "float32"):  #<
        n = T.int64()  #<
        z: R.Tensor((n * 4,), "float32") = R.reshape(x, (n * 4,))  #<
        return z
