# run: tenon opt --passes=normalize,legalize_graph,to_nondataflow,lower_call_tir,plan_memory %s
# A promised largest size makes memory of a known size; without one, a storage is as large as the
# larger of what lies in it.
@I.ir_module
class M:
    @R.function
    def bounded(x: R.Tensor(("n", 16), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 8}})
        a = R.exp(x)
        b = R.sum(a, axis=[1])
        c = R.exp(b)
        return c

    @R.function
    def free(x: R.Tensor(("n", 16), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        a = R.exp(x)
        b = R.concat((a, a), axis=1)
        c = R.exp(b)
        d = R.sum(c, axis=[1])
        e = R.exp(d)
        return e
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func(private=True)
    def concatenate(A_handle: T.handle, B_handle: T.handle, T_out_handle: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(A_handle, (n, T.int64(16)))
        B = T.match_buffer(B_handle, (n, T.int64(16)))
        T_out = T.match_buffer(T_out_handle, (n, T.int64(32)))
        for i0, i1 in T.grid(n, T.int64(16)):
            with T.block("T_concat"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i0, v_i1])
                T.writes(T_out[v_i0, v_i1])
                T_out[v_i0, v_i1] = A[v_i0, v_i1]
        for i0, i1 in T.grid(n, T.int64(16)):
            with T.block("T_concat_1"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(B[v_i0, v_i1])
                T.writes(T_out[v_i0, T.int64(16) + v_i1])
                T_out[v_i0, T.int64(16) + v_i1] = B[v_i0, v_i1]

    @T.prim_func(private=True)
    def exp(A_handle: T.handle, T_out_handle: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(A_handle, (n, T.int64(16)))
        T_out = T.match_buffer(T_out_handle, (n, T.int64(16)))
        for i0, i1 in T.grid(n, T.int64(16)):
            with T.block("T_elem"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i0, v_i1])
                T.writes(T_out[v_i0, v_i1])
                T_out[v_i0, v_i1] = T.exp(A[v_i0, v_i1])

    @T.prim_func(private=True)
    def exp_1(A_handle: T.handle, T_out_handle: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(A_handle, (n,))
        T_out = T.match_buffer(T_out_handle, (n,))
        for i0 in range(n):
            with T.block("T_elem"):
                v_i0 = T.axis.remap("S", [i0])
                T.reads(A[v_i0])
                T.writes(T_out[v_i0])
                T_out[v_i0] = T.exp(A[v_i0])

    @T.prim_func(private=True)
    def exp_2(A_handle: T.handle, T_out_handle: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(A_handle, (n, T.int64(32)))
        T_out = T.match_buffer(T_out_handle, (n, T.int64(32)))
        for i0, i1 in T.grid(n, T.int64(32)):
            with T.block("T_elem"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i0, v_i1])
                T.writes(T_out[v_i0, v_i1])
                T_out[v_i0, v_i1] = T.exp(A[v_i0, v_i1])

    @T.prim_func(private=True)
    def sum(A_handle: T.handle, T_out_handle: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(A_handle, (n, T.int64(16)))
        T_out = T.match_buffer(T_out_handle, (n,))
        for i0, k0 in T.grid(n, T.int64(16)):
            with T.block("T_reduce"):
                v_i0, v_k0 = T.axis.remap("SR", [i0, k0])
                T.reads(A[v_i0, v_k0])
                T.writes(T_out[v_i0])
                with T.init():
                    T_out[v_i0] = T.float32(0.0)
                T_out[v_i0] = T_out[v_i0] + A[v_i0, v_k0]

    @T.prim_func(private=True)
    def sum_1(A_handle: T.handle, T_out_handle: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(A_handle, (n, T.int64(32)))
        T_out = T.match_buffer(T_out_handle, (n,))
        for i0, k0 in T.grid(n, T.int64(32)):
            with T.block("T_reduce"):
                v_i0, v_k0 = T.axis.remap("SR", [i0, k0])
                T.reads(A[v_i0, v_k0])
                T.writes(T_out[v_i0])
                with T.init():
                    T_out[v_i0] = T.float32(0.0)
                T_out[v_i0] = T_out[v_i0] + A[v_i0, v_k0]

    @R.function
    def bounded(x: R.Tensor(("n", 16), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 8}, "relax.force_pure": T.bool(True), "memory_plan": {"planned_bytes": 576, "lower_bound_bytes": 576, "no_reuse_bytes": 576, "result_bytes": 64, "n_storages": 2, "n_tensors": 3, "n_symbolic": 0}})
        n = T.int64()
        cls = M
        storage: R.Object = R.memory.alloc_storage(R.shape([576]), R.prim_value(0), R.str("global"), R.dtype("uint8"), keep=True)
        a: R.Tensor((n, 16), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([n, 16]), R.dtype("float32"))
        _: R.Tuple() = R.vm.call_dps(cls.exp, x, a)
        b: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(512), R.shape([n]), R.dtype("float32"))
        _1: R.Tuple() = R.vm.call_dps(cls.sum, a, b)
        storage_1: R.Object = R.memory.alloc_storage(R.shape([64]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
        c: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage_1, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        _2: R.Tuple() = R.vm.call_dps(cls.exp_1, b, c)
        return c

    @R.function
    def free(x: R.Tensor(("n", 16), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        R.func_attr({"relax.force_pure": T.bool(True), "memory_plan": {"planned_bytes": 0, "lower_bound_bytes": 0, "no_reuse_bytes": 0, "result_bytes": 0, "n_storages": 4, "n_tensors": 5, "n_symbolic": 4}})
        n = T.int64()
        cls = M
        storage: R.Object = R.memory.alloc_storage(R.shape([n * 128]), R.prim_value(0), R.str("global"), R.dtype("uint8"), keep=True)
        a: R.Tensor((n, 16), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([n, 16]), R.dtype("float32"))
        _: R.Tuple() = R.vm.call_dps(cls.exp, x, a)
        storage_1: R.Object = R.memory.alloc_storage(R.shape([n * 128]), R.prim_value(0), R.str("global"), R.dtype("uint8"), keep=True)
        b: R.Tensor((n, 32), dtype="float32") = R.memory.alloc_tensor(storage_1, R.prim_value(0), R.shape([n, 32]), R.dtype("float32"))
        _1: R.Tuple() = R.vm.call_dps(cls.concatenate, a, a, b)
        c: R.Tensor((n, 32), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([n, 32]), R.dtype("float32"))
        _2: R.Tuple() = R.vm.call_dps(cls.exp_2, b, c)
        storage_2: R.Object = R.memory.alloc_storage(R.shape([(n + 15) // 16 * 64]), R.prim_value(0), R.str("global"), R.dtype("uint8"), keep=True)
        d: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage_2, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        _3: R.Tuple() = R.vm.call_dps(cls.sum_1, c, d)
        storage_3: R.Object = R.memory.alloc_storage(R.shape([(n + 15) // 16 * 64]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
        e: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage_3, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        _4: R.Tuple() = R.vm.call_dps(cls.exp_1, d, e)
        return e
