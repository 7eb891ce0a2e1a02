# run: tenon opt --passes=default_schedule --target=x86-64-v3 %s
# Attention: blocks of 16 rows go through both products and what is between, with the rows as lanes; the scale follows in
# the first product's tile, and every sum keeps its order.
@T.prim_func
def main(A: T.Buffer((1,32,2,16), "float32"), K: T.Buffer((1,20,2,16), "float32"), C: T.Buffer((1,20,2,16), "float32"), O: T.Buffer((1,32,2,16), "float32")):
    T.func_attr({"tir.noalias": True})
    P = T.alloc_buffer((1,2,32,20))
    Sc = T.alloc_buffer((1,2,32,20))
    M = T.alloc_buffer((1,2,32))
    E = T.alloc_buffer((1,2,32,20))
    L = T.alloc_buffer((1,2,32))
    W = T.alloc_buffer((1,2,32,20))
    for b, n, s, t, k in T.grid(1,2,32,20,16):
        with T.block("P"):
            vb, vn, vs, vt, vk = T.axis.remap("SSSSR", [b, n, s, t, k])
            with T.init():
                P[vb, vn, vs, vt] = T.float32(0)
            P[vb, vn, vs, vt] = P[vb, vn, vs, vt] + A[vb, vs, vn, vk] * K[vb, vt, vn, vk]
    for b, n, s, t in T.grid(1,2,32,20):
        with T.block("Sc"):
            vb, vn, vs, vt = T.axis.remap("SSSS", [b, n, s, t])
            Sc[vb, vn, vs, vt] = P[vb, vn, vs, vt] * T.float32(0.25)
    for b, n, s, t in T.grid(1,2,32,20):
        with T.block("M"):
            vb, vn, vs, vt = T.axis.remap("SSSR", [b, n, s, t])
            with T.init():
                M[vb, vn, vs] = T.float32("-inf")
            M[vb, vn, vs] = T.max(M[vb, vn, vs], Sc[vb, vn, vs, vt])
    for b, n, s, t in T.grid(1,2,32,20):
        with T.block("E"):
            vb, vn, vs, vt = T.axis.remap("SSSS", [b, n, s, t])
            E[vb, vn, vs, vt] = T.exp(Sc[vb, vn, vs, vt] - M[vb, vn, vs])
    for b, n, s, t in T.grid(1,2,32,20):
        with T.block("L"):
            vb, vn, vs, vt = T.axis.remap("SSSR", [b, n, s, t])
            with T.init():
                L[vb, vn, vs] = T.float32(0)
            L[vb, vn, vs] = L[vb, vn, vs] + E[vb, vn, vs, vt]
    for b, n, s, t in T.grid(1,2,32,20):
        with T.block("W"):
            vb, vn, vs, vt = T.axis.remap("SSSS", [b, n, s, t])
            W[vb, vn, vs, vt] = E[vb, vn, vs, vt] / L[vb, vn, vs]
    for b, s, n, v, t in T.grid(1,32,2,16,20):
        with T.block("O"):
            vb, vs, vn, vv, vt = T.axis.remap("SSSSR", [b, s, n, v, t])
            with T.init():
                O[vb, vs, vn, vv] = T.float32(0)
            O[vb, vs, vn, vv] = O[vb, vs, vn, vv] + W[vb, vn, vs, vt] * C[vb, vt, vn, vv]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((1, 32, 2, 16), "float32"), K: T.Buffer((1, 20, 2, 16), "float32"), C: T.Buffer((1, 20, 2, 16), "float32"), O: T.Buffer((1, 32, 2, 16), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        P = T.alloc_buffer((1, 2, 20, 32), scope="local")
        Sc = T.alloc_buffer((1, 2, 20, 32))
        M = T.alloc_buffer((1, 2, 32))
        E = T.alloc_buffer((1, 2, 20, 32))
        L = T.alloc_buffer((1, 2, 32))
        W = T.alloc_buffer((1, 2, 20, 32))
        A_reindex = T.alloc_buffer((1, 2, 16, 32))
        O_local = T.alloc_buffer((1, 32, 2, 16), scope="local")
        for b_n_fused in T.parallel(2):
            for s_0 in range(2):
                for ax0, ax1 in T.grid(16, 16):
                    with T.block("A_reindex"):
                        v0 = T.axis.spatial(1, 0)
                        v1 = T.axis.spatial(2, b_n_fused)
                        v2 = T.axis.spatial(32, s_0 * 16 + ax0)
                        v3 = T.axis.spatial(16, ax1)
                        T.reads(A[v0, v2, v1, v3])
                        T.writes(A_reindex[v0, v1, v3, v2])
                        A_reindex[v0, v1, v3, v2] = A[v0, v2, v1, v3]
                for ax1_0 in range(5):
                    for ax1_1_init in T.unroll(4):
                        for ax0_0_init in T.unroll(2):
                            for ax0_1_init in T.vectorized(8):
                                with T.block("P_init"):
                                    vb = T.axis.spatial(1, 0)
                                    vn = T.axis.spatial(2, b_n_fused)
                                    vs = T.axis.spatial(32, s_0 * 16 + ax0_0_init * 8 + ax0_1_init)
                                    vt = T.axis.spatial(20, ax1_0 * 4 + ax1_1_init)
                                    T.reads()
                                    T.writes(P[vb, vn, vt, vs])
                                    P[vb, vn, vt, vs] = T.float32(0.0)
                    for ax2 in range(16):
                        for ax1_1 in T.unroll(4):
                            for ax0_0 in T.unroll(2):
                                for ax0_1 in T.vectorized(8):
                                    with T.block("P_update"):
                                        vb = T.axis.spatial(1, 0)
                                        vn = T.axis.spatial(2, b_n_fused)
                                        vs = T.axis.spatial(32, s_0 * 16 + ax0_0 * 8 + ax0_1)
                                        vt = T.axis.spatial(20, ax1_0 * 4 + ax1_1)
                                        vk = T.axis.reduce(16, ax2)
                                        T.reads(P[vb, vn, vt, vs], A_reindex[vb, vn, vk, vs], K[vb, vt, vn, vk])
                                        T.writes(P[vb, vn, vt, vs])
                                        P[vb, vn, vt, vs] = P[vb, vn, vt, vs] + A_reindex[vb, vn, vk, vs] * K[vb, vt, vn, vk]
                    for ax1 in T.unroll(4):
                        for ax0_0 in T.unroll(2):
                            for ax0_1 in T.vectorized(8):
                                with T.block("Sc"):
                                    vb = T.axis.spatial(1, 0)
                                    vn = T.axis.spatial(2, b_n_fused)
                                    vs = T.axis.spatial(32, s_0 * 16 + ax0_0 * 8 + ax0_1)
                                    vt = T.axis.spatial(20, ax1_0 * 4 + ax1)
                                    T.reads(P[vb, vn, vt, vs])
                                    T.writes(Sc[vb, vn, vt, vs])
                                    Sc[vb, vn, vt, vs] = P[vb, vn, vt, vs] * T.float32(0.25)
                for ax0_0_init in T.unroll(2):
                    for ax0_1_init in T.vectorized(8):
                        with T.block("M_init"):
                            vb = T.axis.spatial(1, 0)
                            vn = T.axis.spatial(2, b_n_fused)
                            vs = T.axis.spatial(32, s_0 * 16 + ax0_0_init * 8 + ax0_1_init)
                            T.reads()
                            T.writes(M[vb, vn, vs])
                            M[vb, vn, vs] = T.float32("-inf")
                for ax1 in range(20):
                    for ax0_0 in T.unroll(2):
                        for ax0_1 in T.vectorized(8):
                            with T.block("M_update"):
                                vb = T.axis.spatial(1, 0)
                                vn = T.axis.spatial(2, b_n_fused)
                                vs = T.axis.spatial(32, s_0 * 16 + ax0_0 * 8 + ax0_1)
                                vt = T.axis.reduce(20, ax1)
                                T.reads(M[vb, vn, vs], Sc[vb, vn, vt, vs])
                                T.writes(M[vb, vn, vs])
                                M[vb, vn, vs] = T.max(M[vb, vn, vs], Sc[vb, vn, vt, vs])
                for ax1, ax0_0 in T.grid(20, 2):
                    for ax0_1 in T.vectorized(8):
                        with T.block("E"):
                            vb = T.axis.spatial(1, 0)
                            vn = T.axis.spatial(2, b_n_fused)
                            vs = T.axis.spatial(32, s_0 * 16 + ax0_0 * 8 + ax0_1)
                            vt = T.axis.spatial(20, ax1)
                            T.reads(Sc[vb, vn, vt, vs], M[vb, vn, vs])
                            T.writes(E[vb, vn, vt, vs])
                            E[vb, vn, vt, vs] = T.exp(Sc[vb, vn, vt, vs] - M[vb, vn, vs])
                for ax0_0_init in T.unroll(2):
                    for ax0_1_init in T.vectorized(8):
                        with T.block("L_init"):
                            vb = T.axis.spatial(1, 0)
                            vn = T.axis.spatial(2, b_n_fused)
                            vs = T.axis.spatial(32, s_0 * 16 + ax0_0_init * 8 + ax0_1_init)
                            T.reads()
                            T.writes(L[vb, vn, vs])
                            L[vb, vn, vs] = T.float32(0.0)
                for ax1 in range(20):
                    for ax0_0 in T.unroll(2):
                        for ax0_1 in T.vectorized(8):
                            with T.block("L_update"):
                                vb = T.axis.spatial(1, 0)
                                vn = T.axis.spatial(2, b_n_fused)
                                vs = T.axis.spatial(32, s_0 * 16 + ax0_0 * 8 + ax0_1)
                                vt = T.axis.reduce(20, ax1)
                                T.reads(L[vb, vn, vs], E[vb, vn, vt, vs])
                                T.writes(L[vb, vn, vs])
                                L[vb, vn, vs] = L[vb, vn, vs] + E[vb, vn, vt, vs]
                for ax1, ax0_0 in T.grid(20, 2):
                    for ax0_1 in T.vectorized(8):
                        with T.block("W"):
                            vb = T.axis.spatial(1, 0)
                            vn = T.axis.spatial(2, b_n_fused)
                            vs = T.axis.spatial(32, s_0 * 16 + ax0_0 * 8 + ax0_1)
                            vt = T.axis.spatial(20, ax1)
                            T.reads(E[vb, vn, vt, vs], L[vb, vn, vs])
                            T.writes(W[vb, vn, vt, vs])
                            W[vb, vn, vt, vs] = E[vb, vn, vt, vs] / L[vb, vn, vs]
                for s_1, v_0 in T.grid(4, 1):
                    for s_2_init in T.unroll(4):
                        for v_1_init in T.unroll(2):
                            for v_2_init in T.vectorized(8):
                                with T.block("O_init"):
                                    vb = T.axis.spatial(1, 0)
                                    vs = T.axis.spatial(32, s_0 * 16 + s_1 * 4 + s_2_init)
                                    vn = T.axis.spatial(2, b_n_fused)
                                    vv = T.axis.spatial(16, v_0 * 16 + v_1_init * 8 + v_2_init)
                                    T.reads()
                                    T.writes(O_local[vb, vs, vn, vv])
                                    O_local[vb, vs, vn, vv] = T.float32(0.0)
                    for t in range(20):
                        for s_2 in T.unroll(4):
                            for v_1 in T.unroll(2):
                                for v_2 in T.vectorized(8):
                                    with T.block("O_update"):
                                        vb = T.axis.spatial(1, 0)
                                        vs = T.axis.spatial(32, s_0 * 16 + s_1 * 4 + s_2)
                                        vn = T.axis.spatial(2, b_n_fused)
                                        vv = T.axis.spatial(16, v_0 * 16 + v_1 * 8 + v_2)
                                        vt = T.axis.reduce(20, t)
                                        T.reads(O_local[vb, vs, vn, vv], W[vb, vn, vt, vs], C[vb, vt, vn, vv])
                                        T.writes(O_local[vb, vs, vn, vv])
                                        O_local[vb, vs, vn, vv] = O_local[vb, vs, vn, vv] + W[vb, vn, vt, vs] * C[vb, vt, vn, vv]
                    for ax0 in T.unroll(4):
                        for ax1_0 in T.unroll(2):
                            for ax1_1 in T.vectorized(8):
                                with T.block("O_local"):
                                    v0 = T.axis.spatial(1, 0)
                                    v1 = T.axis.spatial(32, s_0 * 16 + s_1 * 4 + ax0)
                                    v2 = T.axis.spatial(2, b_n_fused)
                                    v3 = T.axis.spatial(16, ax1_0 * 8 + ax1_1)
                                    T.reads(O_local[v0, v1, v2, v3])
                                    T.writes(O[v0, v1, v2, v3])
                                    O[v0, v1, v2, v3] = O_local[v0, v1, v2, v3]
