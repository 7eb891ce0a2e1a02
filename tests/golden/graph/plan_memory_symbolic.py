# run: tenon opt --passes=to_nondataflow,lower_call_tir,plan_memory %s
# Sizes known only at run time are planned too where they are the same expression.
@I.ir_module
class M:
    @T.prim_func
    def exp(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        for i in range(n):
            B[i] = T.exp(A[i])

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = M
        with R.dataflow():
            a = R.call_tir(cls.exp, (x,), out_sinfo=R.Tensor((n,), dtype="float32"))
            b = R.call_tir(cls.exp, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
            c = R.call_tir(cls.exp, (b,), out_sinfo=R.Tensor((n,), dtype="float32"))
            d = R.call_tir(cls.exp, (c,), out_sinfo=R.Tensor((n,), dtype="float32"))
            R.output(d)
        return d
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func
    def exp(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        for i in range(n):
            B[i] = T.exp(A[i])

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        R.func_attr({"relax.force_pure": T.bool(True), "memory_plan": {"planned_bytes": 0, "lower_bound_bytes": 0, "no_reuse_bytes": 0, "result_bytes": 0, "n_storages": 3, "n_tensors": 4, "n_symbolic": 3}})
        n = T.int64()
        cls = M
        storage: R.Object = R.memory.alloc_storage(R.shape([(n + 15) // 16 * 64]), R.prim_value(0), R.str("global"), R.dtype("uint8"), keep=True)
        a: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        _: R.Tuple() = R.vm.call_dps(cls.exp, x, a)
        storage_1: R.Object = R.memory.alloc_storage(R.shape([(n + 15) // 16 * 64]), R.prim_value(0), R.str("global"), R.dtype("uint8"), keep=True)
        b: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage_1, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        _1: R.Tuple() = R.vm.call_dps(cls.exp, a, b)
        c: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        _2: R.Tuple() = R.vm.call_dps(cls.exp, b, c)
        storage_2: R.Object = R.memory.alloc_storage(R.shape([(n + 15) // 16 * 64]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
        d: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage_2, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        _3: R.Tuple() = R.vm.call_dps(cls.exp, c, d)
        return d
