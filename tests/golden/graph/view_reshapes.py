# run: tenon opt --passes=normalize,legalize_graph,view_reshapes,dead_code %s
# A reshape of memory that is the function's own is a view; so is one of a parameter that stays
# inside. The parameter under another shape is no result: that one is copied.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((2, 6), dtype="float32"), z: R.Tensor(("n", 2, 3), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            a = R.exp(x)
            b = R.reshape(a, R.shape([3, 4]))
            c = R.expand_dims(b, axis=[1])
            d = R.reshape(x, R.shape([12]))
            e = R.exp(d)
            f = R.reshape(x, R.shape([4, 3]))
            g = R.reshape(z, R.shape([n, 6]))
            h = R.negative(g)
            i = R.permute_dims(x)
            gv = (c, e, f, h, i)
            R.output(gv)
        return gv
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func(private=True)
    def exp(A: T.Buffer((T.int64(2), T.int64(6)), "float32"), T_out: T.Buffer((T.int64(2), T.int64(6)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1 in T.grid(T.int64(2), T.int64(6)):
            with T.block("T_elem"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i0, v_i1])
                T.writes(T_out[v_i0, v_i1])
                T_out[v_i0, v_i1] = T.exp(A[v_i0, v_i1])

    @T.prim_func(private=True)
    def exp_1(A: T.Buffer((T.int64(12),), "float32"), T_out: T.Buffer((T.int64(12),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0 in range(T.int64(12)):
            with T.block("T_elem"):
                v_i0 = T.axis.remap("S", [i0])
                T.reads(A[v_i0])
                T.writes(T_out[v_i0])
                T_out[v_i0] = T.exp(A[v_i0])

    @T.prim_func(private=True)
    def negative(A_handle: T.handle, T_out_handle: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(A_handle, (n, T.int64(6)))
        T_out = T.match_buffer(T_out_handle, (n, T.int64(6)))
        for i0, i1 in T.grid(n, T.int64(6)):
            with T.block("T_elem"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i0, v_i1])
                T.writes(T_out[v_i0, v_i1])
                T_out[v_i0, v_i1] = -A[v_i0, v_i1]

    @T.prim_func(private=True)
    def reshape_2(A: T.Buffer((T.int64(2), T.int64(6)), "float32"), T_out: T.Buffer((T.int64(4), T.int64(3)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1 in T.grid(T.int64(4), T.int64(3)):
            with T.block("T_reshape"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i0 // T.int64(2), v_i0 % T.int64(2) * T.int64(3) + v_i1])
                T.writes(T_out[v_i0, v_i1])
                T_out[v_i0, v_i1] = A[v_i0 // T.int64(2), v_i0 % T.int64(2) * T.int64(3) + v_i1]

    @T.prim_func(private=True)
    def transpose(A: T.Buffer((T.int64(2), T.int64(6)), "float32"), T_out: T.Buffer((T.int64(6), T.int64(2)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1 in T.grid(T.int64(6), T.int64(2)):
            with T.block("T_transpose"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i1, v_i0])
                T.writes(T_out[v_i0, v_i1])
                T_out[v_i0, v_i1] = A[v_i1, v_i0]

    @R.function
    def main(x: R.Tensor((2, 6), dtype="float32"), z: R.Tensor(("n", 2, 3), dtype="float32")) -> R.Tuple(R.Tensor((3, 1, 4), dtype="float32"), R.Tensor((12,), dtype="float32"), R.Tensor((4, 3), dtype="float32"), R.Tensor(("n", 6), dtype="float32"), R.Tensor((6, 2), dtype="float32")):
        n = T.int64()
        cls = M
        with R.dataflow():
            a = R.call_tir(cls.exp, (x,), out_sinfo=R.Tensor((2, 6), dtype="float32"))
            b: R.Tensor((3, 4), dtype="float32") = R.memory.view(a, R.shape([3, 4]), R.dtype("float32"), R.prim_value(0))
            c: R.Tensor((3, 1, 4), dtype="float32") = R.memory.view(b, R.shape([3, 1, 4]), R.dtype("float32"), R.prim_value(0))
            d: R.Tensor((12,), dtype="float32") = R.memory.view(x, R.shape([12]), R.dtype("float32"), R.prim_value(0))
            e = R.call_tir(cls.exp_1, (d,), out_sinfo=R.Tensor((12,), dtype="float32"))
            f = R.call_tir(cls.reshape_2, (x,), out_sinfo=R.Tensor((4, 3), dtype="float32"))
            g: R.Tensor((n, 6), dtype="float32") = R.memory.view(z, R.shape([n, 6]), R.dtype("float32"), R.prim_value(0))
            h = R.call_tir(cls.negative, (g,), out_sinfo=R.Tensor((n, 6), dtype="float32"))
            i = R.call_tir(cls.transpose, (x,), out_sinfo=R.Tensor((6, 2), dtype="float32"))
            gv: R.Tuple(R.Tensor((3, 1, 4), dtype="float32"), R.Tensor((12,), dtype="float32"), R.Tensor((4, 3), dtype="float32"), R.Tensor((n, 6), dtype="float32"), R.Tensor((6, 2), dtype="float32")) = (c, e, f, h, i)
            R.output(gv)
        return gv
