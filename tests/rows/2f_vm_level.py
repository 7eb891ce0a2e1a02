# row: operators of the virtual machine
# section: 2f
# does: runs
# args: --size n=3
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(x: T.handle, y: T.handle, k: T.int64):
        n = T.int64()
        X = T.match_buffer(x, (n,), "float32")
        Y = T.match_buffer(y, (n,), "float32")
        for i in range(n):
            Y[i] = X[i] * T.Cast("float32", k)
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        cls = Module
        s = R.vm.alloc_storage(R.shape([n * 4]), R.prim_value(0), R.dtype("uint8"))  #<
        y = R.vm.alloc_tensor(s, R.prim_value(0), R.shape([n]), R.dtype("float32"))  #<
        _ = R.vm.call_tir_dyn(cls.f, (x, y, R.shape([n])))  #<
        _1 = R.vm.kill_object(s)  #<
        return y
