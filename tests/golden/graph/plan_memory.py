# run: tenon opt --passes=to_nondataflow,lower_call_tir,plan_memory %s
# Four tensors: two storages are enough for the three that do not leave; the result has its own.
@I.ir_module
class M:
    @T.prim_func
    def exp(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = T.exp(A[i])

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        with R.dataflow():
            a = R.call_tir(cls.exp, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
            b = R.call_tir(cls.exp, (a,), out_sinfo=R.Tensor((4,), dtype="float32"))
            c = R.call_tir(cls.exp, (b,), out_sinfo=R.Tensor((4,), dtype="float32"))
            d = R.call_tir(cls.exp, (c,), out_sinfo=R.Tensor((4,), dtype="float32"))
            R.output(d)
        return d
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func
    def exp(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = T.exp(A[i])

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"relax.force_pure": T.bool(True), "memory_plan": {"planned_bytes": 128, "lower_bound_bytes": 128, "no_reuse_bytes": 192, "result_bytes": 64, "n_storages": 2, "n_tensors": 4, "n_symbolic": 0}})
        cls = M
        storage: R.Object = R.memory.alloc_storage(R.shape([128]), R.prim_value(0), R.str("global"), R.dtype("uint8"), keep=True)
        a: R.Tensor((4,), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([4]), R.dtype("float32"))
        _: R.Tuple() = R.vm.call_dps(cls.exp, x, a)
        b: R.Tensor((4,), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(64), R.shape([4]), R.dtype("float32"))
        _1: R.Tuple() = R.vm.call_dps(cls.exp, a, b)
        c: R.Tensor((4,), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([4]), R.dtype("float32"))
        _2: R.Tuple() = R.vm.call_dps(cls.exp, b, c)
        storage_1: R.Object = R.memory.alloc_storage(R.shape([64]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
        d: R.Tensor((4,), dtype="float32") = R.memory.alloc_tensor(storage_1, R.prim_value(0), R.shape([4]), R.dtype("float32"))
        _3: R.Tuple() = R.vm.call_dps(cls.exp, c, d)
        return d
