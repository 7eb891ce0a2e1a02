# run: tenon opt --passes=normalize,legalize_graph %s
# Operators become loop functions; equal ones share one function.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32"), w: R.Tensor((3, 4), dtype="float32")) -> R.Tensor((2, 4), dtype="float32"):
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.nn.relu(a)
            c = R.nn.relu(b)
            R.output(c)
        return c
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func(private=True)
    def matmul(A: T.Buffer((T.int64(2), T.int64(3)), "float32"), B: T.Buffer((T.int64(3), T.int64(4)), "float32"), T_out: T.Buffer((T.int64(2), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1, k0 in T.grid(T.int64(2), T.int64(4), T.int64(3)):
            with T.block("matmul"):
                v_i0, v_i1, v_k0 = T.axis.remap("SSR", [i0, i1, k0])
                T.reads(A[v_i0, v_k0], B[v_k0, v_i1])
                T.writes(T_out[v_i0, v_i1])
                with T.init():
                    T_out[v_i0, v_i1] = T.float32(0.0)
                T_out[v_i0, v_i1] = T_out[v_i0, v_i1] + A[v_i0, v_k0] * B[v_k0, v_i1]

    @T.prim_func(private=True)
    def relu(A: T.Buffer((T.int64(2), T.int64(4)), "float32"), T_out: T.Buffer((T.int64(2), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1 in T.grid(T.int64(2), T.int64(4)):
            with T.block("T_elem"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i0, v_i1])
                T.writes(T_out[v_i0, v_i1])
                T_out[v_i0, v_i1] = T.max(T.float32(0.0), A[v_i0, v_i1])

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32"), w: R.Tensor((3, 4), dtype="float32")) -> R.Tensor((2, 4), dtype="float32"):
        cls = M
        with R.dataflow():
            a = R.call_tir(cls.matmul, (x, w), out_sinfo=R.Tensor((2, 4), dtype="float32"))
            b = R.call_tir(cls.relu, (a,), out_sinfo=R.Tensor((2, 4), dtype="float32"))
            c = R.call_tir(cls.relu, (b,), out_sinfo=R.Tensor((2, 4), dtype="float32"))
            R.output(c)
        return c
