# row: private function, check left to others
# section: 2b
# does: runs, always checked
# same: 2022
# --- 2023
@I.ir_module
class Module:
    @T.prim_func(private=True)  #<
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] + 1.0

    @R.function(pure=True)  #<
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        y = R.call_tir(cls.f, (x,), out_sinfo=R.Tensor((4,), "float32"))
        return y

    @T.prim_func(check_well_formed=False)  #<
    def g(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(1)
# --- 2026
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)  #<
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] + 1.0

    @R.function(pure=True)  #<
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        y = R.call_tir(cls.f, (x,), out_ty=R.Tensor((4,), "float32"))
        return y

    @T.prim_func(check_well_formed=False)  #<
    def g(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(1)
