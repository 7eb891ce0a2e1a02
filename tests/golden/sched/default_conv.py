# run: tenon opt --passes=default_schedule --target x86-64-v3 %s
# Stride 2: rows of the padded data are laid out as two, so that lanes read neighbours; the zeros are written first.
@T.prim_func
def f(
    A: T.Buffer((1, 8, 32, 32), "float32"),
    W: T.Buffer((16, 8, 3, 3), "float32"),
    C: T.Buffer((1, 16, 16, 16), "float32"),
):
    T.func_attr({"tir.noalias": True})
    P = T.alloc_buffer((1, 8, 34, 34))
    for i0, i1, i2, i3 in T.grid(1, 8, 34, 34):
        with T.block("P"):
            n, c, y, x = T.axis.remap("SSSS", [i0, i1, i2, i3])
            P[n, c, y, x] = T.if_then_else(1 <= y and y < 33 and 1 <= x and x < 33, A[n, c, y - 1, x - 1], T.float32(0))
    for i0, i1, i2, i3, k0, k1, k2 in T.grid(1, 16, 16, 16, 8, 3, 3):
        with T.block("C"):
            n, o, y, x, i, r, q = T.axis.remap("SSSSRRR", [i0, i1, i2, i3, k0, k1, k2])
            with T.init():
                C[n, o, y, x] = T.float32(0)
            C[n, o, y, x] = C[n, o, y, x] + P[n, i, y * 2 + r, x * 2 + q] * W[o, i, r, q]
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((1, 8, 32, 32), "float32"), W: T.Buffer((16, 8, 3, 3), "float32"), C: T.Buffer((1, 16, 16, 16), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        P = T.alloc_buffer((1, 8, 34, 2, 17))
        C_local = T.alloc_buffer((1, 16, 16, 16), scope="local")
        for i0, i1, i2, i3_1, i3_0_0 in T.grid(1, 8, 34, 2, 3):
            for i3_0_1 in T.vectorized(8):
                with T.block("P_pad_const"):
                    n = T.axis.spatial(1, i0)
                    c = T.axis.spatial(8, i1)
                    y = T.axis.spatial(34, i2)
                    x = T.axis.spatial(34, i3_1 + i3_0_0 * 16 + i3_0_1 * 2)
                    T.where(i3_0_0 * 8 + i3_0_1 < 17)
                    T.reads()
                    T.writes(P[n, c, y, x % 2, x // 2])
                    P[n, c, y, x % 2, x // 2] = T.float32(0.0)
        for ax0, ax1, ax2, ax3_1, ax3_0_0 in T.grid(1, 8, 32, 2, 2):
            for ax3_0_1 in T.vectorized(8):
                with T.block("P"):
                    n = T.axis.spatial(1, ax0)
                    c = T.axis.spatial(8, ax1)
                    y = T.axis.spatial(34, ax2 + 1)
                    x = T.axis.spatial(34, ax3_1 + ax3_0_0 * 16 + ax3_0_1 * 2 + 1)
                    T.reads(A[n, c, y - 1, x - 1])
                    T.writes(P[n, c, y, x % 2, x // 2])
                    P[n, c, y, x % 2, x // 2] = A[n, c, y - 1, x - 1]
        for i0_i1_0_fused in T.parallel(8):
            for i2_0, i3_0, i3_1 in T.grid(4, 2, 1):
                for i1_1_init in T.unroll(2):
                    for i2_1_init in T.unroll(4):
                        for i3_2_init in T.unroll(1):
                            for i3_3_init in T.vectorized(8):
                                with T.block("C_init"):
                                    n = T.axis.spatial(1, 0)
                                    o = T.axis.spatial(16, i0_i1_0_fused * 2 + i1_1_init)
                                    y = T.axis.spatial(16, i2_0 * 4 + i2_1_init)
                                    x = T.axis.spatial(16, i3_0 * 8 + i3_1 * 8 + i3_2_init * 8 + i3_3_init)
                                    T.reads()
                                    T.writes(C_local[n, o, y, x])
                                    C_local[n, o, y, x] = T.float32(0.0)
                for k0, k1 in T.grid(8, 3):
                    for k2 in T.unroll(3):
                        for i1_1 in T.unroll(2):
                            for i2_1 in T.unroll(4):
                                for i3_2 in T.unroll(1):
                                    for i3_3 in T.vectorized(8):
                                        with T.block("C_update"):
                                            n = T.axis.spatial(1, 0)
                                            o = T.axis.spatial(16, i1_1 + i0_i1_0_fused * 2)
                                            y = T.axis.spatial(16, i2_0 * 4 + i2_1)
                                            x = T.axis.spatial(16, i3_0 * 8 + i3_1 * 8 + i3_2 * 8 + i3_3)
                                            i = T.axis.reduce(8, k0)
                                            r = T.axis.reduce(3, k1)
                                            q = T.axis.reduce(3, k2)
                                            T.reads(C_local[n, o, y, x], P[n, i, y * 2 + r, q % 2, x + q // 2], W[o, i, r, q])
                                            T.writes(C_local[n, o, y, x])
                                            C_local[n, o, y, x] = C_local[n, o, y, x] + P[n, i, y * 2 + r, q % 2, x + q // 2] * W[o, i, r, q]
                for ax0 in T.unroll(2):
                    for ax1 in T.unroll(4):
                        for ax2 in T.vectorized(8):
                            with T.block("C_local"):
                                v0 = T.axis.spatial(1, 0)
                                v1 = T.axis.spatial(16, i0_i1_0_fused * 2 + ax0)
                                v2 = T.axis.spatial(16, i2_0 * 4 + ax1)
                                v3 = T.axis.spatial(16, i3_0 * 8 + i3_1 * 8 + ax2)
                                T.reads(C_local[v0, v1, v2, v3])
                                T.writes(C[v0, v1, v2, v3])
                                C[v0, v1, v2, v3] = C_local[v0, v1, v2, v3]
