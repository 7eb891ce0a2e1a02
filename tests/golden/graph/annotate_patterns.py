# run: tenon opt --passes=normalize,legalize_graph,annotate_patterns %s
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4, 4), dtype="float32"), r: R.Tensor((4,), dtype="float32")):
        a = R.exp(x)
        b = R.add(a, r)
        c = R.permute_dims(b)
        d = R.max(c, axis=[1])
        e = R.matmul(c, b)
        f = R.cumsum(d, axis=0)
        return (e, f)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func(private=True)
    def add(A: T.Buffer((T.int64(4), T.int64(4)), "float32"), B: T.Buffer((T.int64(4),), "float32"), T_out: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True), "op_pattern": 1})
        for i0, i1 in T.grid(T.int64(4), T.int64(4)):
            with T.block("T_elem"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i0, v_i1], B[v_i1])
                T.writes(T_out[v_i0, v_i1])
                T_out[v_i0, v_i1] = A[v_i0, v_i1] + B[v_i1]

    @T.prim_func(private=True)
    def cumsum(A: T.Buffer((T.int64(4),), "float32"), T_out: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True), "op_pattern": 8})
        for i0 in range(T.int64(4)):
            with T.block("T_elem"):
                v_i0 = T.axis.scan(T.int64(4), i0)
                T.reads(T_out[v_i0 - T.int64(1)], A[v_i0])
                T.writes(T_out[v_i0])
                T_out[v_i0] = T.if_then_else(v_i0 > T.int64(0), T_out[v_i0 - T.int64(1)], T.float32(0.0)) + A[v_i0]

    @T.prim_func(private=True)
    def exp(A: T.Buffer((T.int64(4), T.int64(4)), "float32"), T_out: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True), "op_pattern": 0})
        for i0, i1 in T.grid(T.int64(4), T.int64(4)):
            with T.block("T_elem"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i0, v_i1])
                T.writes(T_out[v_i0, v_i1])
                T_out[v_i0, v_i1] = T.exp(A[v_i0, v_i1])

    @T.prim_func(private=True)
    def matmul(A: T.Buffer((T.int64(4), T.int64(4)), "float32"), B: T.Buffer((T.int64(4), T.int64(4)), "float32"), T_out: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True), "op_pattern": 4})
        for i0, i1, k0 in T.grid(T.int64(4), T.int64(4), T.int64(4)):
            with T.block("matmul"):
                v_i0, v_i1, v_k0 = T.axis.remap("SSR", [i0, i1, k0])
                T.reads(A[v_i0, v_k0], B[v_k0, v_i1])
                T.writes(T_out[v_i0, v_i1])
                with T.init():
                    T_out[v_i0, v_i1] = T.float32(0.0)
                T_out[v_i0, v_i1] = T_out[v_i0, v_i1] + A[v_i0, v_k0] * B[v_k0, v_i1]

    @T.prim_func(private=True)
    def max(A: T.Buffer((T.int64(4), T.int64(4)), "float32"), T_out: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True), "op_pattern": 3})
        for i0, k0 in T.grid(T.int64(4), T.int64(4)):
            with T.block("T_reduce"):
                v_i0, v_k0 = T.axis.remap("SR", [i0, k0])
                T.reads(A[v_i0, v_k0])
                T.writes(T_out[v_i0])
                with T.init():
                    T_out[v_i0] = T.float32("-inf")
                T_out[v_i0] = T.Select(T.isnan(T_out[v_i0]), T_out[v_i0], T.max(T_out[v_i0], A[v_i0, v_k0]))

    @T.prim_func(private=True)
    def transpose(A: T.Buffer((T.int64(4), T.int64(4)), "float32"), T_out: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True), "op_pattern": 2})
        for i0, i1 in T.grid(T.int64(4), T.int64(4)):
            with T.block("T_transpose"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i1, v_i0])
                T.writes(T_out[v_i0, v_i1])
                T_out[v_i0, v_i1] = A[v_i1, v_i0]

    @R.function
    def main(x: R.Tensor((4, 4), dtype="float32"), r: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4, 4), dtype="float32"), R.Tensor((4,), dtype="float32")):
        cls = M
        a = R.call_tir(cls.exp, (x,), out_sinfo=R.Tensor((4, 4), dtype="float32"))
        b = R.call_tir(cls.add, (a, r), out_sinfo=R.Tensor((4, 4), dtype="float32"))
        c = R.call_tir(cls.transpose, (b,), out_sinfo=R.Tensor((4, 4), dtype="float32"))
        d = R.call_tir(cls.max, (c,), out_sinfo=R.Tensor((4,), dtype="float32"))
        e = R.call_tir(cls.matmul, (c, b), out_sinfo=R.Tensor((4, 4), dtype="float32"))
        f = R.call_tir(cls.cumsum, (d,), out_sinfo=R.Tensor((4,), dtype="float32"))
        gv: R.Tuple(R.Tensor((4, 4), dtype="float32"), R.Tensor((4,), dtype="float32")) = (e, f)
        return gv
