# row: number that names a size
# section: 2f
# does: runs
# args: --size n=3
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function(private=True)
    def g(k: R.Prim(value="m"), x: R.Tensor(("m",), "float32")) -> R.Tensor(("m",), "float32"):  #<
        m = T.int64()
        return x
    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        cls = Module
        y: R.Tensor((n,), "float32") = cls.g(R.prim_value(n), x)
        return y
