# run: tenon opt --passes=normalize,legalize_graph,fuse_ops,dead_code %s
# A product takes its bias and activation, though the activation reads it twice; a mask that is as
# cheap to compute again goes into the softmax; what two calls outside use stays by itself.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32"), w: R.Tensor((4, 8), dtype="float32"), b: R.Tensor((8,), dtype="float32"), m: R.Tensor((2, 8), dtype="float32")):
        with R.dataflow():
            p = R.matmul(x, w)
            q = R.add(p, b)
            s = R.sigmoid(q)
            t = R.multiply(q, s)
            u = R.add(t, m)
            v = R.multiply(m, u)
            y = R.nn.softmax(v, axis=-1)
            gv = (y, t)
            R.output(gv)
        return gv
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func(private=True)
    def fused_add_multiply_softmax(A: T.Buffer((T.int64(2), T.int64(8)), "float32"), B: T.Buffer((T.int64(2), T.int64(8)), "float32"), T_out: T.Buffer((T.int64(2), T.int64(8)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True), "op_pattern": 8})
        # with T.block("root"):
        T_add = T.alloc_buffer((T.int64(2), T.int64(8)))
        T_multiply = T.alloc_buffer((T.int64(2), T.int64(8)))
        T_softmax_maxelem = T.alloc_buffer((T.int64(2),))
        T_softmax_exp = T.alloc_buffer((T.int64(2), T.int64(8)))
        T_softmax_expsum = T.alloc_buffer((T.int64(2),))
        for i0, i1 in T.grid(T.int64(2), T.int64(8)):
            with T.block("T_elem"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i0, v_i1], B[v_i0, v_i1])
                T.writes(T_add[v_i0, v_i1])
                T_add[v_i0, v_i1] = A[v_i0, v_i1] + B[v_i0, v_i1]
        for i0, i1 in T.grid(T.int64(2), T.int64(8)):
            with T.block("T_elem_1"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(B[v_i0, v_i1], T_add[v_i0, v_i1])
                T.writes(T_multiply[v_i0, v_i1])
                T_multiply[v_i0, v_i1] = B[v_i0, v_i1] * T_add[v_i0, v_i1]
        for i0, k0 in T.grid(T.int64(2), T.int64(8)):
            with T.block("T_softmax_maxelem"):
                v_i0, v_k0 = T.axis.remap("SR", [i0, k0])
                T.reads(T_multiply[v_i0, v_k0])
                T.writes(T_softmax_maxelem[v_i0])
                with T.init():
                    T_softmax_maxelem[v_i0] = T.float32("-inf")
                T_softmax_maxelem[v_i0] = T.max(T_softmax_maxelem[v_i0], T_multiply[v_i0, v_k0])
        for i0, i1 in T.grid(T.int64(2), T.int64(8)):
            with T.block("T_softmax_exp"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_multiply[v_i0, v_i1], T_softmax_maxelem[v_i0])
                T.writes(T_softmax_exp[v_i0, v_i1])
                T_softmax_exp[v_i0, v_i1] = T.exp(T_multiply[v_i0, v_i1] - T_softmax_maxelem[v_i0])
        for i0, k0 in T.grid(T.int64(2), T.int64(8)):
            with T.block("T_softmax_expsum"):
                v_i0, v_k0 = T.axis.remap("SR", [i0, k0])
                T.reads(T_softmax_exp[v_i0, v_k0])
                T.writes(T_softmax_expsum[v_i0])
                with T.init():
                    T_softmax_expsum[v_i0] = T.float32(0.0)
                T_softmax_expsum[v_i0] = T_softmax_expsum[v_i0] + T_softmax_exp[v_i0, v_k0]
        for i0, i1 in T.grid(T.int64(2), T.int64(8)):
            with T.block("T_softmax_norm"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_softmax_exp[v_i0, v_i1], T_softmax_expsum[v_i0])
                T.writes(T_out[v_i0, v_i1])
                T_out[v_i0, v_i1] = T_softmax_exp[v_i0, v_i1] / T_softmax_expsum[v_i0]

    @T.prim_func(private=True)
    def fused_matmul_add_sigmoid_multiply(A: T.Buffer((T.int64(2), T.int64(4)), "float32"), B: T.Buffer((T.int64(4), T.int64(8)), "float32"), C: T.Buffer((T.int64(8),), "float32"), T_out: T.Buffer((T.int64(2), T.int64(8)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True), "op_pattern": 8})
        # with T.block("root"):
        T_matmul = T.alloc_buffer((T.int64(2), T.int64(8)))
        T_add = T.alloc_buffer((T.int64(2), T.int64(8)))
        T_sigmoid = T.alloc_buffer((T.int64(2), T.int64(8)))
        for i0, i1, k0 in T.grid(T.int64(2), T.int64(8), T.int64(4)):
            with T.block("matmul"):
                v_i0, v_i1, v_k0 = T.axis.remap("SSR", [i0, i1, k0])
                T.reads(A[v_i0, v_k0], B[v_k0, v_i1])
                T.writes(T_matmul[v_i0, v_i1])
                with T.init():
                    T_matmul[v_i0, v_i1] = T.float32(0.0)
                T_matmul[v_i0, v_i1] = T_matmul[v_i0, v_i1] + A[v_i0, v_k0] * B[v_k0, v_i1]
        for i0, i1 in T.grid(T.int64(2), T.int64(8)):
            with T.block("T_elem"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_matmul[v_i0, v_i1], C[v_i1])
                T.writes(T_add[v_i0, v_i1])
                T_add[v_i0, v_i1] = T_matmul[v_i0, v_i1] + C[v_i1]
        for i0, i1 in T.grid(T.int64(2), T.int64(8)):
            with T.block("T_elem_1"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_add[v_i0, v_i1])
                T.writes(T_sigmoid[v_i0, v_i1])
                T_sigmoid[v_i0, v_i1] = T.sigmoid(T_add[v_i0, v_i1])
        for i0, i1 in T.grid(T.int64(2), T.int64(8)):
            with T.block("T_elem_2"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_add[v_i0, v_i1], T_sigmoid[v_i0, v_i1])
                T.writes(T_out[v_i0, v_i1])
                T_out[v_i0, v_i1] = T_add[v_i0, v_i1] * T_sigmoid[v_i0, v_i1]

    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32"), w: R.Tensor((4, 8), dtype="float32"), b: R.Tensor((8,), dtype="float32"), m: R.Tensor((2, 8), dtype="float32")) -> R.Tuple(R.Tensor((2, 8), dtype="float32"), R.Tensor((2, 8), dtype="float32")):
        cls = M
        with R.dataflow():
            t = R.call_tir(cls.fused_matmul_add_sigmoid_multiply, (x, w, b), out_sinfo=R.Tensor((2, 8), dtype="float32"))
            y = R.call_tir(cls.fused_add_multiply_softmax, (t, m), out_sinfo=R.Tensor((2, 8), dtype="float32"))
            gv: R.Tuple(R.Tensor((2, 8), dtype="float32"), R.Tensor((2, 8), dtype="float32")) = (y, t)
            R.output(gv)
        return gv
