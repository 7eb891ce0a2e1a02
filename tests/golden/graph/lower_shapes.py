# run: tenon opt --passes=to_nondataflow,lower_call_tir,plan_memory,kill_after_last_use,lower_shapes %s
# A size that is computed from others is computed once and has a name.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", "m"), dtype="float32")) -> R.Tensor(("n * m + 1",), dtype="float32"):
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            a = R.call_dps_packed("f", (x,), out_sinfo=R.Tensor((n * m + 1,), dtype="float32"))
            b = R.call_dps_packed("g", (a,), out_sinfo=R.Tensor((n * m + 1,), dtype="float32"))
            R.output(b)
        return b
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", "m"), dtype="float32")) -> R.Tensor(("n * m + 1",), dtype="float32"):
        R.func_attr({"relax.force_pure": T.bool(True), "memory_plan": {"planned_bytes": 0, "lower_bound_bytes": 0, "no_reuse_bytes": 0, "result_bytes": 0, "n_storages": 2, "n_tensors": 2, "n_symbolic": 2}})
        n = T.int64()
        m = T.int64()
        size = T.int64()
        _ = R.match_cast(R.shape([n * m // 16 * 64 + 64]), R.Shape([size]))
        storage: R.Object = R.memory.alloc_storage(R.shape([size]), R.prim_value(0), R.str("global"), R.dtype("uint8"), keep=True)
        size_1 = T.int64()
        _1 = R.match_cast(R.shape([n * m + 1]), R.Shape([size_1]))
        a: R.Tensor((n * m + 1,), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([size_1]), R.dtype("float32"))
        _2: R.Tuple() = R.vm.kill_object(storage)
        _3: R.Tuple() = R.vm.call_dps("f", x, a)
        storage_1: R.Object = R.memory.alloc_storage(R.shape([size]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
        b: R.Tensor((n * m + 1,), dtype="float32") = R.memory.alloc_tensor(storage_1, R.prim_value(0), R.shape([size_1]), R.dtype("float32"))
        _4: R.Tuple() = R.vm.kill_object(storage_1)
        _5: R.Tuple() = R.vm.call_dps("g", a, b)
        _6: R.Tuple() = R.vm.kill_object(a)
        return b
