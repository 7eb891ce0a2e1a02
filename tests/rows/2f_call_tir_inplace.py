# row: in place
# section: 2f
# does: runs, where others look at the input it is copied first
# --- 2023
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def bump(X: T.Buffer((4,), "float32"), Y: T.Buffer((4,), "float32"), Z: T.Buffer((4,), "float32")):
        for i in range(4):
            X[i] = X[i] + Y[i]
            Z[i] = X[i]
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        cls = Module
        t = R.call_tir_inplace(cls.bump, (x, y), out_sinfo=[R.Tensor((4,), "float32"), R.Tensor((4,), "float32")], inplace_indices=[0, -1])  #<
        return (x, t)
# --- 2026
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def bump(X: T.Buffer((4,), "float32"), Y: T.Buffer((4,), "float32"), Z: T.Buffer((4,), "float32")):
        for i in range(4):
            X[i] = X[i] + Y[i]
            Z[i] = X[i]
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        cls = Module
        t = R.call_tir_inplace(cls.bump, (x, y), out_ty=[R.Tensor((4,), "float32"), R.Tensor((4,), "float32")], inplace_indices=[0, -1])  #<
        return (x, t)
