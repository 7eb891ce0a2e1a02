# run: tenon opt --passes=default_schedule --target x86-64-v3 %s
# A panel of B is copied with its columns side by side, a tile of C stays in registers, the bias follows in the tile.
@T.prim_func
def f(a: T.handle, B: T.Buffer((96, 64), "float32"), D: T.Buffer((96,), "float32"), c: T.handle):
    T.func_attr({"tir.noalias": True})
    n = T.int32()
    A = T.match_buffer(a, (n, 64), "float32")
    C = T.match_buffer(c, (n, 96), "float32")
    S = T.alloc_buffer((n, 96))
    for i, j, k in T.grid(n, 96, 64):
        with T.block("S"):
            x, y, z = T.axis.remap("SSR", [i, j, k])
            with T.init():
                S[x, y] = T.float32(0)
            S[x, y] = S[x, y] + A[x, z] * B[y, z]
    for i, j in T.grid(n, 96):
        with T.block("C"):
            x, y = T.axis.remap("SS", [i, j])
            C[x, y] = T.max(S[x, y] + D[y], T.float32(0))
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, B: T.Buffer((96, 64), "float32"), D: T.Buffer((96,), "float32"), c: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int32()
        A = T.match_buffer(a, (n, 64))
        C = T.match_buffer(c, (n, 96))
        # with T.block("root"):
        S = T.alloc_buffer((n, 96), scope="local")
        B_reindex = T.alloc_buffer((64, 96))
        for j_0 in T.parallel(4):
            for ax1 in range(64):
                for ax0_0 in T.unroll(3):
                    for ax0_1 in T.vectorized(8):
                        with T.block("B_reindex"):
                            v0 = T.axis.spatial(96, j_0 * 24 + ax0_0 * 8 + ax0_1)
                            v1 = T.axis.spatial(64, ax1)
                            T.reads(B[v0, v1])
                            T.writes(B_reindex[v1, v0])
                            B_reindex[v1, v0] = B[v0, v1]
            for i_0, j_1 in T.grid((n + 3) // 4, 1):
                for i_1_init in T.unroll(4):
                    for j_2_init in T.unroll(3):
                        for j_3_init in T.vectorized(8):
                            with T.block("S_init"):
                                x = T.axis.spatial(n, i_0 * 4 + i_1_init)
                                y = T.axis.spatial(96, j_0 * 24 + j_1 * 24 + j_2_init * 8 + j_3_init)
                                T.where(i_0 * 4 + i_1_init < n)
                                T.reads()
                                T.writes(S[x, y])
                                S[x, y] = T.float32(0.0)
                for k in range(64):
                    for i_1 in T.unroll(4):
                        for j_2 in T.unroll(3):
                            for j_3 in T.vectorized(8):
                                with T.block("S_update"):
                                    x = T.axis.spatial(n, i_0 * 4 + i_1)
                                    y = T.axis.spatial(96, j_0 * 24 + j_1 * 24 + j_2 * 8 + j_3)
                                    z = T.axis.reduce(64, k)
                                    T.where(i_0 * 4 + i_1 < n)
                                    T.reads(S[x, y], A[x, z], B_reindex[z, y])
                                    T.writes(S[x, y])
                                    S[x, y] = S[x, y] + A[x, z] * B_reindex[z, y]
                for ax0 in T.unroll(4):
                    for ax1_0 in T.unroll(3):
                        for ax1_1 in T.vectorized(8):
                            with T.block("C"):
                                x = T.axis.spatial(n, i_0 * 4 + ax0)
                                y = T.axis.spatial(96, j_0 * 24 + j_1 * 24 + ax1_0 * 8 + ax1_1)
                                T.where(i_0 * 4 + ax0 < n)
                                T.reads(S[x, y], D[y])
                                T.writes(C[x, y])
                                C[x, y] = T.max(S[x, y] + D[y], T.float32(0.0))
