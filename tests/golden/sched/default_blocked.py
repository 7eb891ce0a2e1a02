# run: tenon opt --passes=default_schedule --target=x86-64-v3 %s
# Channels in blocks of 8: of a convolution, a tile is pixels of a row times blocks, the sum of a tile
# stays in registers, and the blocks go round outermost. Of a depthwise one each lane has its own
# data and weights; its padding is made a block of channels at a time.
@I.ir_module
class M:
    @T.prim_func
    def conv(A: T.Buffer((1, 4, 16, 16, 8), "float32"), B: T.Buffer((6, 4, 3, 3, 8, 8), "float32"), C: T.Buffer((48,), "float32"), T_out: T.Buffer((1, 6, 14, 14, 8), "float32")):
        T.func_attr({"tir.noalias": True})
        Y = T.alloc_buffer((1, 6, 14, 14, 8))
        for n, c, y, x, i, ko, k1, k2, ki in T.grid(1, 6, 14, 14, 8, 4, 3, 3, 8):
            with T.block("conv"):
                vn, vc, vy, vx, vi, vko, v1, v2, vki = T.axis.remap("SSSSSRRRR", [n, c, y, x, i, ko, k1, k2, ki])
                with T.init():
                    Y[vn, vc, vy, vx, vi] = T.float32(0)
                Y[vn, vc, vy, vx, vi] = Y[vn, vc, vy, vx, vi] + A[vn, vko, vy + v1, vx + v2, vki] * B[vc, vko, v1, v2, vki, vi]
        for n, c, y, x, i in T.grid(1, 6, 14, 14, 8):
            with T.block("out"):
                vn, vc, vy, vx, vi = T.axis.remap("SSSSS", [n, c, y, x, i])
                T_out[vn, vc, vy, vx, vi] = T.max(Y[0, vc, vy, vx, vi] + C[vc * 8 + vi], T.float32(0))

    @T.prim_func
    def depthwise(A: T.Buffer((1, 16, 28, 28, 8), "float32"), B: T.Buffer((16, 1, 3, 3, 8), "float32"), T_out: T.Buffer((1, 16, 28, 28, 8), "float32")):
        T.func_attr({"tir.noalias": True})
        pad = T.alloc_buffer((1, 16, 30, 30, 8))
        for n, c, y, x, i in T.grid(1, 16, 30, 30, 8):
            with T.block("pad"):
                vn, vc, vy, vx, vi = T.axis.remap("SSSSS", [n, c, y, x, i])
                pad[vn, vc, vy, vx, vi] = T.if_then_else(1 <= vy and vy < 29 and 1 <= vx and vx < 29, A[vn, vc, vy - 1, vx - 1, vi], T.float32(0))
        for n, c, y, x, i, k0, k1, k2 in T.grid(1, 16, 28, 28, 8, 1, 3, 3):
            with T.block("conv"):
                vn, vc, vy, vx, vi, v0, v1, v2 = T.axis.remap("SSSSSRRR", [n, c, y, x, i, k0, k1, k2])
                with T.init():
                    T_out[vn, vc, vy, vx, vi] = T.float32(0)
                T_out[vn, vc, vy, vx, vi] = T_out[vn, vc, vy, vx, vi] + pad[vn, vc, vy + v1, vx + v2, vi] * B[vc, 0, v1, v2, vi]
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class M:
    @T.prim_func
    def conv(A: T.Buffer((1, 4, 16, 16, 8), "float32"), B: T.Buffer((6, 4, 3, 3, 8, 8), "float32"), C: T.Buffer((48,), "float32"), T_out: T.Buffer((1, 6, 14, 14, 8), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        Y = T.alloc_buffer((1, 6, 14, 14, 8), scope="local")
        for c_0_n_y_fused in T.parallel(42):
            for x_0, i_0, i_1 in T.grid(3, 1, 1):
                for x_1_init in T.unroll(5):
                    for c_1_init in T.unroll(2):
                        for i_2_init in T.unroll(1):
                            for i_3_init in T.vectorized(8):
                                with T.block("conv_init"):
                                    vn = T.axis.spatial(1, 0)
                                    vc = T.axis.spatial(6, c_0_n_y_fused // 14 * 2 + c_1_init)
                                    vy = T.axis.spatial(14, c_0_n_y_fused % 14)
                                    vx = T.axis.spatial(14, x_0 * 5 + x_1_init)
                                    vi = T.axis.spatial(8, i_0 * 8 + i_1 * 8 + i_2_init * 8 + i_3_init)
                                    T.where(x_0 * 5 + x_1_init < 14)
                                    T.reads()
                                    T.writes(Y[vn, vc, vy, vx, vi])
                                    Y[vn, vc, vy, vx, vi] = T.float32(0.0)
                for ko, k1, k2 in T.grid(4, 3, 3):
                    for ki in T.unroll(8):
                        for x_1 in T.unroll(5):
                            for c_1 in T.unroll(2):
                                for i_2 in T.unroll(1):
                                    for i_3 in T.vectorized(8):
                                        with T.block("conv_update"):
                                            vn = T.axis.spatial(1, 0)
                                            vc = T.axis.spatial(6, c_1 + c_0_n_y_fused // 14 * 2)
                                            vy = T.axis.spatial(14, c_0_n_y_fused % 14)
                                            vx = T.axis.spatial(14, x_0 * 5 + x_1)
                                            vi = T.axis.spatial(8, i_0 * 8 + i_1 * 8 + i_2 * 8 + i_3)
                                            vko = T.axis.reduce(4, ko)
                                            v1 = T.axis.reduce(3, k1)
                                            v2 = T.axis.reduce(3, k2)
                                            vki = T.axis.reduce(8, ki)
                                            T.where(x_0 * 5 + x_1 < 14)
                                            T.reads(Y[vn, vc, vy, vx, vi], A[vn, vko, vy + v1, vx + v2, vki], B[vc, vko, v1, v2, vki, vi])
                                            T.writes(Y[vn, vc, vy, vx, vi])
                                            Y[vn, vc, vy, vx, vi] = Y[vn, vc, vy, vx, vi] + A[vn, vko, vy + v1, vx + v2, vki] * B[vc, vko, v1, v2, vki, vi]
                for ax0 in T.unroll(2):
                    for ax1 in T.unroll(5):
                        for ax2 in T.vectorized(8):
                            with T.block("out"):
                                vn = T.axis.spatial(1, 0)
                                vc = T.axis.spatial(6, c_0_n_y_fused // 14 * 2 + ax0)
                                vy = T.axis.spatial(14, c_0_n_y_fused % 14)
                                vx = T.axis.spatial(14, x_0 * 5 + ax1)
                                vi = T.axis.spatial(8, ax2)
                                T.where(x_0 * 5 + ax1 < 14)
                                T.reads(Y[0, vc, vy, vx, vi], C[vc * 8 + vi])
                                T.writes(T_out[vn, vc, vy, vx, vi])
                                T_out[vn, vc, vy, vx, vi] = T.max(Y[0, vc, vy, vx, vi] + C[vc * 8 + vi], T.float32(0.0))

    @T.prim_func
    def depthwise(A: T.Buffer((1, 16, 28, 28, 8), "float32"), B: T.Buffer((16, 1, 3, 3, 8), "float32"), T_out: T.Buffer((1, 16, 28, 28, 8), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        pad = T.alloc_buffer((1, 16, 30, 30, 8))
        T_out_local = T.alloc_buffer((1, 16, 28, 28, 8), scope="local")
        for n_c_fused in T.parallel(16):
            for ax0, ax1 in T.grid(30, 30):
                for ax2 in T.vectorized(8):
                    with T.block("pad"):
                        vn = T.axis.spatial(1, 0)
                        vc = T.axis.spatial(16, n_c_fused)
                        vy = T.axis.spatial(30, ax0)
                        vx = T.axis.spatial(30, ax1)
                        vi = T.axis.spatial(8, ax2)
                        T.reads(A[vn, vc, vy - 1, vx - 1, vi])
                        T.writes(pad[vn, vc, vy, vx, vi])
                        pad[vn, vc, vy, vx, vi] = T.if_then_else(1 <= vy and vy < 29 and 1 <= vx and vx < 29, A[vn, vc, vy - 1, vx - 1, vi], T.float32(0.0))
            for y, x_0, i_0, i_1 in T.grid(28, 4, 1, 1):
                for x_1_init in T.unroll(7):
                    for i_2_init in T.unroll(1):
                        for i_3_init in T.vectorized(8):
                            with T.block("conv_init"):
                                vn = T.axis.spatial(1, 0)
                                vc = T.axis.spatial(16, n_c_fused)
                                vy = T.axis.spatial(28, y)
                                vx = T.axis.spatial(28, x_0 * 7 + x_1_init)
                                vi = T.axis.spatial(8, i_0 * 8 + i_1 * 8 + i_2_init * 8 + i_3_init)
                                T.reads()
                                T.writes(T_out_local[vn, vc, vy, vx, vi])
                                T_out_local[vn, vc, vy, vx, vi] = T.float32(0.0)
                for k0 in range(1):
                    for k1 in T.unroll(3):
                        for k2 in T.unroll(3):
                            for x_1 in T.unroll(7):
                                for i_2 in T.unroll(1):
                                    for i_3 in T.vectorized(8):
                                        with T.block("conv_update"):
                                            vn = T.axis.spatial(1, 0)
                                            vc = T.axis.spatial(16, n_c_fused)
                                            vy = T.axis.spatial(28, y)
                                            vx = T.axis.spatial(28, x_0 * 7 + x_1)
                                            vi = T.axis.spatial(8, i_0 * 8 + i_1 * 8 + i_2 * 8 + i_3)
                                            v0 = T.axis.reduce(1, k0)
                                            v1 = T.axis.reduce(3, k1)
                                            v2 = T.axis.reduce(3, k2)
                                            T.reads(T_out_local[vn, vc, vy, vx, vi], pad[vn, vc, vy + v1, vx + v2, vi], B[vc, 0, v1, v2, vi])
                                            T.writes(T_out_local[vn, vc, vy, vx, vi])
                                            T_out_local[vn, vc, vy, vx, vi] = T_out_local[vn, vc, vy, vx, vi] + pad[vn, vc, vy + v1, vx + v2, vi] * B[vc, 0, v1, v2, vi]
                for ax0 in T.unroll(7):
                    for ax1 in T.vectorized(8):
                        with T.block("T_out_local"):
                            v0 = T.axis.spatial(1, 0)
                            v1 = T.axis.spatial(16, n_c_fused)
                            v2 = T.axis.spatial(28, y)
                            v3 = T.axis.spatial(28, x_0 * 7 + ax0)
                            v4 = T.axis.spatial(8, ax1)
                            T.reads(T_out_local[v0, v1, v2, v3, v4])
                            T.writes(T_out[v0, v1, v2, v3, v4])
                            T_out[v0, v1, v2, v3, v4] = T_out_local[v0, v1, v2, v3, v4]
