# row: memory of tensors
# section: 2f
# does: runs
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(X: T.Buffer((4,), "float32"), Y: T.Buffer((4,), "float32")):
        for i in range(4):
            Y[i] = X[i] * X[i]
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((2, 2), "float32"):
        cls = Module
        a = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global"))  #<
        _ = cls.f(x, a)
        s = R.memory.alloc_storage(R.shape([16]), R.prim_value(0), R.str("global"), R.dtype("uint8"))  #<
        b = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([4]), R.dtype("float32"))  #<
        _1 = cls.f(a, b)
        v = R.memory.view(b, R.shape([2, 2]), R.dtype("float32"), R.prim_value(0))  #<
        w = R.memory.ensure_zero_offset(v)  #<
        _2 = R.memory.kill_tensor(a)  #<
        _3 = R.memory.kill_storage(s)  #<
        return w
