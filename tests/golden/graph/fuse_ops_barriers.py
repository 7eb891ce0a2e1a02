# run: tenon opt --passes=normalize,legalize_graph,fuse_ops,dead_code %s
# Not fused: an exponential that a broadcast would compute again for each row, what feeds a product,
# a function whose loops are scheduled, library calls, and what is used after an `if`.
@I.ir_module
class M:
    @T.prim_func
    def twice(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
        for i, j in T.grid(4, 4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                vj = T.axis.spatial(4, j)
                B[vi, vj] = A[vi, vj] * T.float32(2)

    @T.prim_func
    def parallel(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
        for i in T.parallel(4):
            for j in range(4):
                with T.block("B"):
                    vi = T.axis.spatial(4, i)
                    vj = T.axis.spatial(4, j)
                    B[vi, vj] = A[vi, vj] * T.float32(2)

    @R.function
    def main(x: R.Tensor((4, 4), dtype="float32"), r: R.Tensor((4,), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor((4, 4), dtype="float32"):
        cls = M
        e = R.exp(r)
        a = R.add(x, e)
        p = R.matmul(a, x)
        d = R.call_tir(cls.twice, (p,), out_sinfo=R.Tensor((4, 4), dtype="float32"))
        f = R.call_tir(cls.parallel, (d,), out_sinfo=R.Tensor((4, 4), dtype="float32"))
        g = R.call_dps_packed("env.relu", (f,), out_sinfo=R.Tensor((4, 4), dtype="float32"))
        h = R.negative(g)
        if c:
            i = R.abs(h)
        else:
            i = h
        return i
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func(private=True)
    def abs(A: T.Buffer((T.int64(4), T.int64(4)), "float32"), T_out: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1 in T.grid(T.int64(4), T.int64(4)):
            with T.block("T_elem"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i0, v_i1])
                T.writes(T_out[v_i0, v_i1])
                T_out[v_i0, v_i1] = T.abs(A[v_i0, v_i1])

    @T.prim_func(private=True)
    def add(A: T.Buffer((T.int64(4), T.int64(4)), "float32"), B: T.Buffer((T.int64(4),), "float32"), T_out: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1 in T.grid(T.int64(4), T.int64(4)):
            with T.block("T_elem"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i0, v_i1], B[v_i1])
                T.writes(T_out[v_i0, v_i1])
                T_out[v_i0, v_i1] = A[v_i0, v_i1] + B[v_i1]

    @T.prim_func(private=True)
    def exp(A: T.Buffer((T.int64(4),), "float32"), T_out: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0 in range(T.int64(4)):
            with T.block("T_elem"):
                v_i0 = T.axis.remap("S", [i0])
                T.reads(A[v_i0])
                T.writes(T_out[v_i0])
                T_out[v_i0] = T.exp(A[v_i0])

    @T.prim_func(private=True)
    def fused_matmul_twice(A: T.Buffer((T.int64(4), T.int64(4)), "float32"), B: T.Buffer((T.int64(4), T.int64(4)), "float32"), T_out: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True), "op_pattern": 8})
        # with T.block("root"):
        T_matmul = T.alloc_buffer((T.int64(4), T.int64(4)))
        for i0, i1, k0 in T.grid(T.int64(4), T.int64(4), T.int64(4)):
            with T.block("matmul"):
                v_i0, v_i1, v_k0 = T.axis.remap("SSR", [i0, i1, k0])
                T.reads(A[v_i0, v_k0], B[v_k0, v_i1])
                T.writes(T_matmul[v_i0, v_i1])
                with T.init():
                    T_matmul[v_i0, v_i1] = T.float32(0.0)
                T_matmul[v_i0, v_i1] = T_matmul[v_i0, v_i1] + A[v_i0, v_k0] * B[v_k0, v_i1]
        for i, j in T.grid(4, 4):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(T_matmul[vi, vj])
                T.writes(T_out[vi, vj])
                T_out[vi, vj] = T_matmul[vi, vj] * T.float32(2.0)

    @T.prim_func(private=True)
    def negative(A: T.Buffer((T.int64(4), T.int64(4)), "float32"), T_out: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1 in T.grid(T.int64(4), T.int64(4)):
            with T.block("T_elem"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v_i0, v_i1])
                T.writes(T_out[v_i0, v_i1])
                T_out[v_i0, v_i1] = -A[v_i0, v_i1]

    @T.prim_func
    def parallel(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
        for i in T.parallel(4):
            for j in range(4):
                with T.block("B"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(A[vi, vj])
                    T.writes(B[vi, vj])
                    B[vi, vj] = A[vi, vj] * T.float32(2.0)

    @T.prim_func
    def twice(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
        for i, j in T.grid(4, 4):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj] * T.float32(2.0)

    @R.function
    def main(x: R.Tensor((4, 4), dtype="float32"), r: R.Tensor((4,), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor((4, 4), dtype="float32"):
        cls = M
        e = R.call_tir(cls.exp, (r,), out_sinfo=R.Tensor((4,), dtype="float32"))
        a = R.call_tir(cls.add, (x, e), out_sinfo=R.Tensor((4, 4), dtype="float32"))
        d = R.call_tir(cls.fused_matmul_twice, (a, x), out_sinfo=R.Tensor((4, 4), dtype="float32"))
        f = R.call_tir(cls.parallel, (d,), out_sinfo=R.Tensor((4, 4), dtype="float32"))
        g = R.call_dps_packed("env.relu", (f,), out_sinfo=R.Tensor((4, 4), dtype="float32"))
        h = R.call_tir(cls.negative, (g,), out_sinfo=R.Tensor((4, 4), dtype="float32"))
        if c:
            i = R.call_tir(cls.abs, (h,), out_sinfo=R.Tensor((4, 4), dtype="float32"))
        else:
            i = h
        return i
