# run: tenon opt --passes=normalize,legalize_graph,to_nondataflow,lower_call_tir,plan_memory %s
# Three sizes in one storage: the large tensor comes after two small ones are dead, and takes both
# their places.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((16,), dtype="float32")) -> R.Tensor((), dtype="float32"):
        with R.dataflow():
            a = R.exp(x)
            b = R.exp(a)
            c = R.sum(b)
            d = R.broadcast_to(c, R.shape([32]))
            e = R.exp(d)
            f = R.sum(e)
            g = R.negative(f)
            R.output(g)
        return g
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func(private=True)
    def broadcast_to(A: T.Buffer((), "float32"), T_out: T.Buffer((T.int64(32),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0 in range(T.int64(32)):
            with T.block("T_elem"):
                v_i0 = T.axis.remap("S", [i0])
                T.reads(A[()])
                T.writes(T_out[v_i0])
                T_out[v_i0] = A[()]

    @T.prim_func(private=True)
    def exp(A: T.Buffer((T.int64(16),), "float32"), T_out: T.Buffer((T.int64(16),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0 in range(T.int64(16)):
            with T.block("T_elem"):
                v_i0 = T.axis.remap("S", [i0])
                T.reads(A[v_i0])
                T.writes(T_out[v_i0])
                T_out[v_i0] = T.exp(A[v_i0])

    @T.prim_func(private=True)
    def exp_1(A: T.Buffer((T.int64(32),), "float32"), T_out: T.Buffer((T.int64(32),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0 in range(T.int64(32)):
            with T.block("T_elem"):
                v_i0 = T.axis.remap("S", [i0])
                T.reads(A[v_i0])
                T.writes(T_out[v_i0])
                T_out[v_i0] = T.exp(A[v_i0])

    @T.prim_func(private=True)
    def negative(A: T.Buffer((), "float32"), T_out: T.Buffer((), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        with T.block("T_elem"):
            T.reads(A[()])
            T.writes(T_out[()])
            T_out[()] = -A[()]

    @T.prim_func(private=True)
    def sum(A: T.Buffer((T.int64(16),), "float32"), T_out: T.Buffer((), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k0 in range(T.int64(16)):
            with T.block("T_reduce"):
                v_k0 = T.axis.remap("R", [k0])
                T.reads(A[v_k0])
                T.writes(T_out[()])
                with T.init():
                    T_out[()] = T.float32(0.0)
                T_out[()] = T_out[()] + A[v_k0]

    @T.prim_func(private=True)
    def sum_1(A: T.Buffer((T.int64(32),), "float32"), T_out: T.Buffer((), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k0 in range(T.int64(32)):
            with T.block("T_reduce"):
                v_k0 = T.axis.remap("R", [k0])
                T.reads(A[v_k0])
                T.writes(T_out[()])
                with T.init():
                    T_out[()] = T.float32(0.0)
                T_out[()] = T_out[()] + A[v_k0]

    @R.function
    def main(x: R.Tensor((16,), dtype="float32")) -> R.Tensor((), dtype="float32"):
        R.func_attr({"relax.force_pure": T.bool(True), "memory_plan": {"planned_bytes": 256, "lower_bound_bytes": 256, "no_reuse_bytes": 512, "result_bytes": 64, "n_storages": 2, "n_tensors": 7, "n_symbolic": 0}})
        cls = M
        storage: R.Object = R.memory.alloc_storage(R.shape([256]), R.prim_value(0), R.str("global"), R.dtype("uint8"), keep=True)
        a: R.Tensor((16,), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([16]), R.dtype("float32"))
        _: R.Tuple() = R.vm.call_dps(cls.exp, x, a)
        b: R.Tensor((16,), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(64), R.shape([16]), R.dtype("float32"))
        _1: R.Tuple() = R.vm.call_dps(cls.exp, a, b)
        c: R.Tensor((), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(128), R.shape([]), R.dtype("float32"))
        _2: R.Tuple() = R.vm.call_dps(cls.sum, b, c)
        d: R.Tensor((32,), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([32]), R.dtype("float32"))
        _3: R.Tuple() = R.vm.call_dps(cls.broadcast_to, c, d)
        e: R.Tensor((32,), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(128), R.shape([32]), R.dtype("float32"))
        _4: R.Tuple() = R.vm.call_dps(cls.exp_1, d, e)
        f: R.Tensor((), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([]), R.dtype("float32"))
        _5: R.Tuple() = R.vm.call_dps(cls.sum_1, e, f)
        storage_1: R.Object = R.memory.alloc_storage(R.shape([64]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
        g: R.Tensor((), dtype="float32") = R.memory.alloc_tensor(storage_1, R.prim_value(0), R.shape([]), R.dtype("float32"))
        _6: R.Tuple() = R.vm.call_dps(cls.negative, f, g)
        return g
