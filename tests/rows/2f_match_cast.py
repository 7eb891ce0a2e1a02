# row: cast of a shape
# section: 2f
# does: runs, checked when it runs
# args: --size a=2 --size b=3
# same: 2022
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("a", "b"), "float32")) -> R.Tensor(dtype="float32", ndim=2):
        m, n = T.int64(), T.int64()
        y: R.Tensor((m, n), "float32") = R.match_cast(x, R.Tensor((m, n), "float32"))  #<
        z: R.Tensor((n, m), "float32") = R.permute_dims(y)
        return z
# --- 2026
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("a", "b"), "float32")) -> R.Tensor(dtype="float32", ndim=2):
        m, n = T.int64(), T.int64()
        y: R.Tensor((m, n), "float32") = R.match_cast(x, ty=R.Tensor((m, n), "float32"))  #<
        z: R.Tensor((n, m), "float32") = R.permute_dims(y)
        return z
