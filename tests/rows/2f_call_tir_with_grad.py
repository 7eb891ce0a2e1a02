# row: call that names its gradient
# section: 2f
# does: runs, as call_tir
# --- 2023
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(X: T.Buffer((4,), "float32"), Y: T.Buffer((4,), "float32")):
        for i in range(4):
            Y[i] = X[i] * X[i]
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        y = R.call_tir_with_grad(cls.f, (x,), out_sinfo=R.Tensor((4,), "float32"), te_grad_name="g", te_grad_kwargs={"k": 1.0})  #<
        return y
# --- 2026
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(X: T.Buffer((4,), "float32"), Y: T.Buffer((4,), "float32")):
        for i in range(4):
            Y[i] = X[i] * X[i]
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        y = R.call_tir_with_grad(cls.f, (x,), out_ty=R.Tensor((4,), "float32"), te_grad_name="g", te_grad_kwargs={"k": 1.0})  #<
        return y
