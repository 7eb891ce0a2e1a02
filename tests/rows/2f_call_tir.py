# row: call of a loop function
# section: 2f
# does: runs
# --- 2022
@tvm.script.ir_module
class Module:
    @T.prim_func(private=True)
    def mm(X: T.Buffer((1, 8), "float32"), W: T.Buffer((8, 4), "float32"), Y: T.Buffer((1, 4), "float32")):
        for i, j in T.grid(1, 4):
            Y[i, j] = T.float32(0)
            for k in range(8):
                Y[i, j] = Y[i, j] + X[i, k] * W[k, j]
    @R.function
    def main(x: Tensor((1, 8), "float32"), w: Tensor((8, 4), "float32")):
        y = R.call_tir(mm, (x, w), (1, 4), dtype="float32")  #<
        return y
# --- 2023
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def mm(X: T.Buffer((1, 8), "float32"), W: T.Buffer((8, 4), "float32"), Y: T.Buffer((1, 4), "float32")):
        for i, j in T.grid(1, 4):
            Y[i, j] = T.float32(0)
            for k in range(8):
                Y[i, j] = Y[i, j] + X[i, k] * W[k, j]
    @R.function
    def main(x: R.Tensor((1, 8), "float32"), w: R.Tensor((8, 4), "float32")):
        cls = Module
        y = R.call_tir(cls.mm, (x, w), out_sinfo=R.Tensor((1, 4), "float32"))  #<
        return y
# --- 2026
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def mm(X: T.Buffer((1, 8), "float32"), W: T.Buffer((8, 4), "float32"), Y: T.Buffer((1, 4), "float32")):
        for i, j in T.grid(1, 4):
            Y[i, j] = T.float32(0)
            for k in range(8):
                Y[i, j] = Y[i, j] + X[i, k] * W[k, j]
    @R.function
    def main(x: R.Tensor((1, 8), "float32"), w: R.Tensor((8, 4), "float32")):
        cls = Module
        y = R.call_tir(cls.mm, (x, w), out_ty=R.Tensor((1, 4), "float32"))  #<
        return y
