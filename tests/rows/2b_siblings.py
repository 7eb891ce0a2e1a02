# row: call of another function
# section: 2b
# does: runs
# same: 2026
# --- 2022
@tvm.script.ir_module
class Module:
    @T.prim_func
    def add(A: T.Buffer[(4,), "float32"], B: T.Buffer[(4,), "float32"]):
        T.func_attr({"global_symbol": "add"})
        for i in range(4):
            B[i] = A[i] + 1.0

    @R.function
    def main(x: Tensor((4,), "float32")):
        y = R.call_tir(add, (x,), (4,), dtype="float32")  #<
        return y
# --- 2023
@I.ir_module
class Module:
    @T.prim_func
    def add(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] + 1.0

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module  #<
        y = R.call_tir(cls.add, (x,), out_sinfo=R.Tensor((4,), "float32"))  #<
        return y
