# run: tenon opt --passes=normalize,legalize_graph,to_nondataflow,lower_call_tir,reuse_inputs,dead_code %s
# b is written over a, and d over c, whose other use came before. Not the parameter x, not what is
# transposed, and not a tensor that is given twice.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4, 4), dtype="float32")) -> R.Tensor((4, 4), dtype="float32"):
        with R.dataflow():
            a = R.exp(x)
            b = R.negative(a)
            c = R.permute_dims(b)
            s = R.sum(c, axis=[0])
            d = R.add(c, s)
            e = R.multiply(d, d)
            f = R.matmul(e, x)
            R.output(f)
        return f
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func(private=True)
    def add_inplace(A: T.Buffer((T.int64(4), T.int64(4)), "float32"), B: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1 in T.grid(T.int64(4), T.int64(4)):
            with T.block("T_elem"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i0, v_i1], B[v_i1])
                T.writes(A[v_i0, v_i1])
                A[v_i0, v_i1] = A[v_i0, v_i1] + B[v_i1]

    @T.prim_func(private=True)
    def exp(A: T.Buffer((T.int64(4), T.int64(4)), "float32"), T_out: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1 in T.grid(T.int64(4), T.int64(4)):
            with T.block("T_elem"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i0, v_i1])
                T.writes(T_out[v_i0, v_i1])
                T_out[v_i0, v_i1] = T.exp(A[v_i0, v_i1])

    @T.prim_func(private=True)
    def matmul(A: T.Buffer((T.int64(4), T.int64(4)), "float32"), B: T.Buffer((T.int64(4), T.int64(4)), "float32"), T_out: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1, k0 in T.grid(T.int64(4), T.int64(4), T.int64(4)):
            with T.block("matmul"):
                v_i0, v_i1, v_k0 = T.axis.remap("SSR", [i0, i1, k0])
                T.reads(A[v_i0, v_k0], B[v_k0, v_i1])
                T.writes(T_out[v_i0, v_i1])
                with T.init():
                    T_out[v_i0, v_i1] = T.float32(0.0)
                T_out[v_i0, v_i1] = T_out[v_i0, v_i1] + A[v_i0, v_k0] * B[v_k0, v_i1]

    @T.prim_func(private=True)
    def multiply(A: T.Buffer((T.int64(4), T.int64(4)), "float32"), B: T.Buffer((T.int64(4), T.int64(4)), "float32"), T_out: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1 in T.grid(T.int64(4), T.int64(4)):
            with T.block("T_elem"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i0, v_i1], B[v_i0, v_i1])
                T.writes(T_out[v_i0, v_i1])
                T_out[v_i0, v_i1] = A[v_i0, v_i1] * B[v_i0, v_i1]

    @T.prim_func(private=True)
    def negative_inplace(A: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1 in T.grid(T.int64(4), T.int64(4)):
            with T.block("T_elem"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i0, v_i1])
                T.writes(A[v_i0, v_i1])
                A[v_i0, v_i1] = -A[v_i0, v_i1]

    @T.prim_func(private=True)
    def sum(A: T.Buffer((T.int64(4), T.int64(4)), "float32"), T_out: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, k0 in T.grid(T.int64(4), T.int64(4)):
            with T.block("T_reduce"):
                v_i0, v_k0 = T.axis.remap("SR", [i0, k0])
                T.reads(A[v_k0, v_i0])
                T.writes(T_out[v_i0])
                with T.init():
                    T_out[v_i0] = T.float32(0.0)
                T_out[v_i0] = T_out[v_i0] + A[v_k0, v_i0]

    @T.prim_func(private=True)
    def transpose(A: T.Buffer((T.int64(4), T.int64(4)), "float32"), T_out: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1 in T.grid(T.int64(4), T.int64(4)):
            with T.block("T_transpose"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i1, v_i0])
                T.writes(T_out[v_i0, v_i1])
                T_out[v_i0, v_i1] = A[v_i1, v_i0]

    @R.function
    def main(x: R.Tensor((4, 4), dtype="float32")) -> R.Tensor((4, 4), dtype="float32"):
        R.func_attr({"relax.force_pure": T.bool(True)})
        cls = M
        a: R.Tensor((4, 4), dtype="float32") = R.builtin.alloc_tensor(R.shape([4, 4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple() = R.vm.call_dps(cls.exp, x, a)
        b = a
        _1: R.Tuple() = R.vm.call_dps(cls.negative_inplace, a)
        c: R.Tensor((4, 4), dtype="float32") = R.builtin.alloc_tensor(R.shape([4, 4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _2: R.Tuple() = R.vm.call_dps(cls.transpose, b, c)
        s: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _3: R.Tuple() = R.vm.call_dps(cls.sum, c, s)
        d = c
        _4: R.Tuple() = R.vm.call_dps(cls.add_inplace, c, s)
        e: R.Tensor((4, 4), dtype="float32") = R.builtin.alloc_tensor(R.shape([4, 4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _5: R.Tuple() = R.vm.call_dps(cls.multiply, d, d, e)
        f: R.Tensor((4, 4), dtype="float32") = R.builtin.alloc_tensor(R.shape([4, 4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _6: R.Tuple() = R.vm.call_dps(cls.matmul, e, x, f)
        return f
