# run: tenon opt --passes=normalize,legalize_graph,fuse_ops,dead_code,pack_constants,dead_code --target=x86-64-v3 %s
# The matrix of a product becomes panels of 16 columns, the last one filled up with zeros. A
# constant that is no wider than a panel stays.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((5, 2), dtype="float32")):
        with R.dataflow():
            a = R.matmul(x, R.const([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0],
                [0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2]], "float32"))
            b = R.matmul(x, R.const([[0, 1], [2, 3]], "float32"))
            gv = (a, b)
            R.output(gv)
        return gv
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func(private=True)
    def matmul_1(A: T.Buffer((T.int64(5), T.int64(2)), "float32"), B: T.Buffer((T.int64(2), T.int64(2)), "float32"), T_out: T.Buffer((T.int64(5), T.int64(2)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1, k0 in T.grid(T.int64(5), T.int64(2), T.int64(2)):
            with T.block("matmul"):
                v_i0, v_i1, v_k0 = T.axis.remap("SSR", [i0, i1, k0])
                T.reads(A[v_i0, v_k0], B[v_k0, v_i1])
                T.writes(T_out[v_i0, v_i1])
                with T.init():
                    T_out[v_i0, v_i1] = T.float32(0.0)
                T_out[v_i0, v_i1] = T_out[v_i0, v_i1] + A[v_i0, v_k0] * B[v_k0, v_i1]

    @T.prim_func(private=True)
    def matmul_2(A: T.Buffer((T.int64(5), T.int64(2)), "float32"), B: T.Buffer((T.int64(2), T.int64(2), T.int64(16)), "float32"), T_out: T.Buffer((T.int64(5), T.int64(31)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1, k0 in T.grid(T.int64(5), T.int64(31), T.int64(2)):
            with T.block("matmul"):
                v_i0, v_i1, v_k0 = T.axis.remap("SSR", [i0, i1, k0])
                T.reads(A[v_i0, v_k0], B[v_i1 // T.int64(16), v_k0, v_i1 % T.int64(16)])
                T.writes(T_out[v_i0, v_i1])
                with T.init():
                    T_out[v_i0, v_i1] = T.float32(0.0)
                T_out[v_i0, v_i1] = T_out[v_i0, v_i1] + A[v_i0, v_k0] * B[v_i1 // T.int64(16), v_k0, v_i1 % T.int64(16)]

    @R.function
    def main(x: R.Tensor((5, 2), dtype="float32")) -> R.Tuple(R.Tensor((5, 31), dtype="float32"), R.Tensor((5, 2), dtype="float32")):
        cls = M
        with R.dataflow():
            a = R.call_tir(cls.matmul_2, (x, metadata["relax.expr.Constant"][0]), out_sinfo=R.Tensor((5, 31), dtype="float32"))
            b = R.call_tir(cls.matmul_1, (x, R.const([[0.0, 1.0], [2.0, 3.0]], "float32")), out_sinfo=R.Tensor((5, 2), dtype="float32"))
            gv: R.Tuple(R.Tensor((5, 31), dtype="float32"), R.Tensor((5, 2), dtype="float32")) = (a, b)
            R.output(gv)
        return gv
