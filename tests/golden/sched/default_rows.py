# run: tenon opt --passes=default_schedule --target x86-64-v3 %s
# Row by row through all blocks; the largest value and the sum of a row in lanes that are put together at its end.
@T.prim_func
def softmax(a: T.handle, b: T.handle):
    T.func_attr({"tir.noalias": True})
    n = T.int32()
    A = T.match_buffer(a, (n, 64), "float32")
    B = T.match_buffer(b, (n, 64), "float32")
    M = T.alloc_buffer((n,))
    E = T.alloc_buffer((n, 64))
    S = T.alloc_buffer((n,))
    for i, k in T.grid(n, 64):
        with T.block("M"):
            x, z = T.axis.remap("SR", [i, k])
            with T.init():
                M[x] = T.min_value("float32")
            M[x] = T.max(M[x], A[x, z])
    for i, k in T.grid(n, 64):
        with T.block("E"):
            x, z = T.axis.remap("SS", [i, k])
            E[x, z] = T.exp(A[x, z] - M[x])
    for i, k in T.grid(n, 64):
        with T.block("S"):
            x, z = T.axis.remap("SR", [i, k])
            with T.init():
                S[x] = T.float32(0)
            S[x] = S[x] + E[x, z]
    for i, k in T.grid(n, 64):
        with T.block("B"):
            x, z = T.axis.remap("SS", [i, k])
            B[x, z] = E[x, z] / S[x]
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def softmax(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int32()
        A = T.match_buffer(a, (n, 64))
        B = T.match_buffer(b, (n, 64))
        # with T.block("root"):
        M = T.alloc_buffer((n,))
        E = T.alloc_buffer((n, 64))
        S = T.alloc_buffer((n,))
        M_rf = T.alloc_buffer((n, 16))
        S_rf = T.alloc_buffer((n, 16))
        for i in T.parallel(n):
            for ax0_0_init in T.unroll(2):
                for ax0_1_init in T.vectorized(8):
                    with T.block("M_rf_init"):
                        vk_1 = T.axis.spatial(16, ax0_0_init * 8 + ax0_1_init)
                        x = T.axis.spatial(n, i)
                        T.reads()
                        T.writes(M_rf[x, vk_1])
                        M_rf[x, vk_1] = T.float32(-3.4028235e+38)
            for ax1 in range(4):
                for ax0_0 in T.unroll(2):
                    for ax0_1 in T.vectorized(8):
                        with T.block("M_rf_update"):
                            vk_1 = T.axis.spatial(16, ax0_0 * 8 + ax0_1)
                            x = T.axis.spatial(n, i)
                            vk_0 = T.axis.reduce(4, ax1)
                            T.reads(M_rf[x, vk_1], A[x, vk_0 * 16 + vk_1])
                            T.writes(M_rf[x, vk_1])
                            M_rf[x, vk_1] = T.max(M_rf[x, vk_1], A[x, vk_0 * 16 + vk_1])
            for ax0 in range(16):
                with T.block("M"):
                    vk_1, x = T.axis.remap("RS", [ax0, i])
                    T.reads(M_rf[x, vk_1])
                    T.writes(M[x])
                    with T.init():
                        M[x] = T.float32(-3.4028235e+38)
                    M[x] = T.max(M[x], M_rf[x, vk_1])
            for ax0_0 in range(8):
                for ax0_1 in T.vectorized(8):
                    with T.block("E"):
                        x = T.axis.spatial(n, i)
                        z = T.axis.spatial(64, ax0_0 * 8 + ax0_1)
                        T.reads(A[x, z], M[x])
                        T.writes(E[x, z])
                        E[x, z] = T.exp(A[x, z] - M[x])
            for ax0_0_init in T.unroll(2):
                for ax0_1_init in T.vectorized(8):
                    with T.block("S_rf_init"):
                        vk_1 = T.axis.spatial(16, ax0_0_init * 8 + ax0_1_init)
                        x = T.axis.spatial(n, i)
                        T.reads()
                        T.writes(S_rf[x, vk_1])
                        S_rf[x, vk_1] = T.float32(0.0)
            for ax1 in range(4):
                for ax0_0 in T.unroll(2):
                    for ax0_1 in T.vectorized(8):
                        with T.block("S_rf_update"):
                            vk_1 = T.axis.spatial(16, ax0_0 * 8 + ax0_1)
                            x = T.axis.spatial(n, i)
                            vk_0 = T.axis.reduce(4, ax1)
                            T.reads(S_rf[x, vk_1], E[x, vk_0 * 16 + vk_1])
                            T.writes(S_rf[x, vk_1])
                            S_rf[x, vk_1] = S_rf[x, vk_1] + E[x, vk_0 * 16 + vk_1]
            for ax0 in range(16):
                with T.block("S"):
                    vk_1, x = T.axis.remap("RS", [ax0, i])
                    T.reads(S_rf[x, vk_1])
                    T.writes(S[x])
                    with T.init():
                        S[x] = T.float32(0.0)
                    S[x] = S[x] + S_rf[x, vk_1]
            for k_0 in range(8):
                for k_1 in T.vectorized(8):
                    with T.block("B"):
                        x = T.axis.spatial(n, i)
                        z = T.axis.spatial(64, k_0 * 8 + k_1)
                        T.reads(E[x, z], S[x])
                        T.writes(B[x, z])
                        B[x, z] = E[x, z] / S[x]
