# run: --random
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T

@I.ir_module
class M:
    @T.prim_func(private=True)
    def dbl(x: T.handle, y: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n,))
        Y = T.match_buffer(y, (n,))
        for i in range(n):
            Y[i] = X[i] * T.float32(2)
    @T.prim_func(private=True)
    def addn(x: T.handle, y: T.handle, k: T.int64):
        n = T.int64()
        X = T.match_buffer(x, (n,))
        Y = T.match_buffer(y, (n,))
        for i in range(n):
            Y[i] = X[i] + T.Cast("float32", k)

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = M
        s = R.memory.alloc_storage(R.shape([16]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
        t = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([4]), R.dtype("float32"))
        _ = cls.dbl(x, t)
        v = R.memory.view(t, R.shape([2, 2]), R.dtype("float32"), R.prim_value(0))
        w = R.memory.ensure_zero_offset(v)
        u = R.memory.view(w, R.shape([4]), R.dtype("float32"), R.prim_value(0))
        a = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _1 = cls.dbl(u, a)
        _2 = R.memory.kill_tensor(t)
        _3 = R.memory.kill_storage(s)
        s2 = R.vm.alloc_storage(R.shape([16]), R.prim_value(0), R.dtype("uint8"))
        t2 = R.vm.alloc_tensor(s2, R.prim_value(0), R.shape([4]), R.dtype("float32"))
        _4 = R.vm.call_tir_dyn(cls.addn, (a, t2, R.shape([3])))
        _5 = R.vm.kill_object(s2)
        return t2
