# run: tenon fmt %s
# The level of memory and the machine.
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i]

    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        a = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        cls.copy(x, a)
        s = R.memory.alloc_storage(R.shape([16]), R.prim_value(0), R.str("global"), R.dtype("float32"))
        b = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([4]), R.dtype("float32"))
        cls.copy(a, b)
        R.memory.kill_tensor(a)
        v = R.memory.view(b, R.shape([2, 2]), R.dtype("float32"), R.prim_value(0))
        o = R.memory.ensure_zero_offset(v)
        t = R.vm.alloc_storage(R.shape([16]), R.prim_value(0), R.dtype("uint8"), R.str("global"))
        u = R.vm.alloc_tensor(t, R.prim_value(0), R.shape([4]), R.dtype("float32"))
        R.vm.kill_object(u)
        R.memory.kill_storage(s)
        return b
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i]

    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        a: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple() = cls.copy(x, a)
        s: R.Object = R.memory.alloc_storage(R.shape([16]), R.prim_value(0), R.str("global"), R.dtype("float32"))
        b: R.Tensor((4,), dtype="float32") = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([4]), R.dtype("float32"))
        _1: R.Tuple() = cls.copy(a, b)
        _2: R.Tuple() = R.memory.kill_tensor(a)
        v: R.Tensor((2, 2), dtype="float32") = R.memory.view(b, R.shape([2, 2]), R.dtype("float32"), R.prim_value(0))
        o: R.Tensor((2, 2), dtype="float32") = R.memory.ensure_zero_offset(v)
        t: R.Object = R.vm.alloc_storage(R.shape([16]), R.prim_value(0), R.dtype("uint8"), R.str("global"))
        u: R.Tensor((4,), dtype="float32") = R.vm.alloc_tensor(t, R.prim_value(0), R.shape([4]), R.dtype("float32"))
        _3: R.Tuple() = R.vm.kill_object(u)
        _4: R.Tuple() = R.memory.kill_storage(s)
        return b
