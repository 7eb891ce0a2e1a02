# run: tenon opt --passes=normalize,legalize_graph,fuse_ops,dead_code %s
# Sizes are the graph's: one that no dimension is equal to comes as an argument.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n * 2", 4), dtype="float32"), k: R.Shape(["n"])):
        n = T.int64()
        with R.dataflow():
            a = R.exp(x)
            b = R.negative(a)
            c = R.sum(b, axis=[1])
            R.output(c)
        return c
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func(private=True)
    def fused_exp_negative_sum(A_handle: T.handle, T_out_handle: T.handle, n: T.int64):
        T.func_attr({"tir.noalias": T.bool(True), "op_pattern": 8})
        A = T.match_buffer(A_handle, (n * T.int64(2), T.int64(4)), data=A_handle)
        T_out = T.match_buffer(T_out_handle, (n * T.int64(2),), data=T_out_handle)
        # with T.block("root"):
        T_exp = T.alloc_buffer((n * T.int64(2), T.int64(4)))
        T_negative = T.alloc_buffer((n * T.int64(2), T.int64(4)))
        for i0, i1 in T.grid(n * T.int64(2), T.int64(4)):
            with T.block("T_elem"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i0, v_i1])
                T.writes(T_exp[v_i0, v_i1])
                T_exp[v_i0, v_i1] = T.exp(A[v_i0, v_i1])
        for i0, i1 in T.grid(n * T.int64(2), T.int64(4)):
            with T.block("T_elem_1"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_exp[v_i0, v_i1])
                T.writes(T_negative[v_i0, v_i1])
                T_negative[v_i0, v_i1] = -T_exp[v_i0, v_i1]
        for i0, k0 in T.grid(n * T.int64(2), T.int64(4)):
            with T.block("T_reduce"):
                v_i0, v_k0 = T.axis.remap("SR", [i0, k0])
                T.reads(T_negative[v_i0, v_k0])
                T.writes(T_out[v_i0])
                with T.init():
                    T_out[v_i0] = T.float32(0.0)
                T_out[v_i0] = T_out[v_i0] + T_negative[v_i0, v_k0]

    @R.function
    def main(x: R.Tensor(("n * 2", 4), dtype="float32"), k: R.Shape(["n"])) -> R.Tensor(("n * 2",), dtype="float32"):
        n = T.int64()
        cls = M
        with R.dataflow():
            c = R.call_tir(cls.fused_exp_negative_sum, (x,), out_sinfo=R.Tensor((n * 2,), dtype="float32"), tir_vars=R.shape([n]))
            R.output(c)
        return c
