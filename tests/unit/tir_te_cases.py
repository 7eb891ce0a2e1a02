@I.ir_module
class Module:
    @T.prim_func
    def argmax(idx_handle: T.handle, val_handle: T.handle, argmax_v0_handle: T.handle, argmax_v1_handle: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        m = T.int32()
        idx = T.match_buffer(idx_handle, (m, 7), "int32")
        val = T.match_buffer(val_handle, (m, 7))
        argmax_v0 = T.match_buffer(argmax_v0_handle, (m,), "int32")
        argmax_v1 = T.match_buffer(argmax_v1_handle, (m,))
        for i, k in T.grid(m, 7):
            with T.block("argmax"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                T.reads(val[v_i, v_k], idx[v_i, v_k])
                T.writes(argmax_v0[v_i], argmax_v1[v_i])
                with T.init():
                    argmax_v0[v_i] = -1
                    argmax_v1[v_i] = T.float32("-inf")
                v_argmax_v0: T.int32 = T.Select(argmax_v1[v_i] >= val[v_i, v_k], argmax_v0[v_i], idx[v_i, v_k])
                v_argmax_v1: T.float32 = T.Select(argmax_v1[v_i] >= val[v_i, v_k], argmax_v1[v_i], val[v_i, v_k])
                argmax_v0[v_i] = v_argmax_v0
                argmax_v1[v_i] = v_argmax_v1

    @T.prim_func
    def axpy(alpha: T.float32, X: T.Buffer((6,), "float32"), Y: T.Buffer((6,), "float32"), Z: T.Buffer((6,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(6):
            with T.block("Z"):
                v_i = T.axis.remap("S", [i])
                T.reads(X[v_i], Y[v_i])
                T.writes(Z[v_i])
                Z[v_i] = alpha * X[v_i] + Y[v_i]

    @T.prim_func
    def batched(A: T.Buffer((2, 3, 3), "int8"), B: T.Buffer((2, 3, 3), "int8"), C: T.Buffer((2, 3, 3), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1, i2, k0 in T.grid(2, 3, 3, 3):
            with T.block("C"):
                v_i0, v_i1, v_i2, v_k0 = T.axis.remap("SSSR", [i0, i1, i2, k0])
                T.reads(A[v_i0, v_i1, v_k0], B[v_i0, v_k0, v_i2])
                T.writes(C[v_i0, v_i1, v_i2])
                with T.init():
                    C[v_i0, v_i1, v_i2] = 0
                C[v_i0, v_i1, v_i2] = C[v_i0, v_i1, v_i2] + T.Cast("int32", A[v_i0, v_i1, v_k0]) * T.Cast("int32", B[v_i0, v_k0, v_i2])

    @T.prim_func
    def bias_relu(A: T.Buffer((2, 4), "float32"), bias: T.Buffer((4,), "float32"), T_1: T.Buffer((2, 4), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        T_ = T.alloc_buffer((2, 4))
        for i, j in T.grid(2, 4):
            with T.block("T"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads(A[v_i, v_j], bias[v_j])
                T.writes(T_[v_i, v_j])
                T_[v_i, v_j] = A[v_i, v_j] + bias[v_j]
        for i, j in T.grid(2, 4):
            with T.block("T_1"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads(T_[v_i, v_j])
                T.writes(T_1[v_i, v_j])
                T_1[v_i, v_j] = T.max(T_[v_i, v_j], T.float32(0.0))

    @T.prim_func
    def conv2d(X: T.Buffer((1, 2, 5, 5), "float32"), W: T.Buffer((3, 2, 3, 3), "float32"), conv: T.Buffer((1, 3, 5, 5), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        pad = T.alloc_buffer((1, 2, 7, 7))
        for i0, i1, i2, i3 in T.grid(1, 2, 7, 7):
            with T.block("pad"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(X[v_i0, v_i1, v_i2 - 1, v_i3 - 1])
                T.writes(pad[v_i0, v_i1, v_i2, v_i3])
                pad[v_i0, v_i1, v_i2, v_i3] = T.if_then_else(1 <= v_i2 and v_i2 < 6 and (1 <= v_i3 and v_i3 < 6), X[v_i0, v_i1, v_i2 - 1, v_i3 - 1], T.float32(0.0))
        for nn, ff, yy, xx, rc, ry, rx in T.grid(1, 3, 5, 5, 2, 3, 3):
            with T.block("conv"):
                v_nn, v_ff, v_yy, v_xx, v_rc, v_ry, v_rx = T.axis.remap("SSSSRRR", [nn, ff, yy, xx, rc, ry, rx])
                T.reads(pad[v_nn, v_rc, v_yy + v_ry, v_xx + v_rx], W[v_ff, v_rc, v_ry, v_rx])
                T.writes(conv[v_nn, v_ff, v_yy, v_xx])
                with T.init():
                    conv[v_nn, v_ff, v_yy, v_xx] = T.float32(0.0)
                conv[v_nn, v_ff, v_yy, v_xx] = conv[v_nn, v_ff, v_yy, v_xx] + pad[v_nn, v_rc, v_yy + v_ry, v_xx + v_rx] * W[v_ff, v_rc, v_ry, v_rx]

    @T.prim_func
    def extern_block(A: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        B = T.alloc_buffer((4,))
        with T.block("reverse"):
            T.reads(A[0:4])
            T.writes(B[0:4])
            for i in range(4):
                B[i] = A[3 - i]
        for i in range(4):
            with T.block("C"):
                v_i = T.axis.remap("S", [i])
                T.reads(B[v_i])
                T.writes(C[v_i])
                C[v_i] = B[v_i] * T.float32(2.0)

    @T.prim_func
    def gather(table: T.Buffer((7, 3), "float32"), rows: T.Buffer((5,), "int64"), taken: T.Buffer((5, 3), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(5, 3):
            with T.block("taken"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads(rows[v_i], table[0:7, v_j])
                T.writes(taken[v_i, v_j])
                taken[v_i, v_j] = table[rows[v_i], v_j]

    @T.prim_func
    def integers(A: T.Buffer((9,), "int32"), B: T.Buffer((9,), "int8"), C: T.Buffer((9,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(9):
            with T.block("C"):
                v_i = T.axis.remap("S", [i])
                T.reads(A[v_i], B[v_i])
                T.writes(C[v_i])
                C[v_i] = T.Select(A[v_i] < T.Cast("int32", B[v_i]) or not B[v_i] != T.int8(2), -(A[v_i] // 3), A[v_i] % 3 * 10 + T.truncdiv(A[v_i], 3))

    @T.prim_func
    def is_even(A: T.Buffer((9,), "int32"), even: T.Buffer((9,), "bool")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(9):
            with T.block("even"):
                v_i = T.axis.remap("S", [i])
                T.reads(A[v_i])
                T.writes(even[v_i])
                even[v_i] = A[v_i] % 2 == 0

    @T.prim_func
    def layer_norm(X: T.Buffer((2, 8), "float32"), gamma: T.Buffer((8,), "float32"), beta: T.Buffer((8,), "float32"), layer_norm: T.Buffer((2, 8), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        sums_v0 = T.alloc_buffer((2,))
        sums_v1 = T.alloc_buffer((2,))
        for i0, k0 in T.grid(2, 8):
            with T.block("sums"):
                v_i0, v_k0 = T.axis.remap("SR", [i0, k0])
                T.reads(X[v_i0, v_k0])
                T.writes(sums_v0[v_i0], sums_v1[v_i0])
                with T.init():
                    sums_v0[v_i0] = T.float32(0.0)
                    sums_v1[v_i0] = T.float32(0.0)
                v_sums_v0: T.float32 = sums_v0[v_i0] + X[v_i0, v_k0]
                v_sums_v1: T.float32 = sums_v1[v_i0] + X[v_i0, v_k0] * X[v_i0, v_k0]
                sums_v0[v_i0] = v_sums_v0
                sums_v1[v_i0] = v_sums_v1
        for i0, i1 in T.grid(2, 8):
            with T.block("layer_norm"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(X[v_i0, v_i1], sums_v0[v_i0], sums_v1[v_i0], gamma[v_i1], beta[v_i1])
                T.writes(layer_norm[v_i0, v_i1])
                layer_norm[v_i0, v_i1] = (X[v_i0, v_i1] - sums_v0[v_i0] / T.float32(8.0)) / T.sqrt(sums_v1[v_i0] / T.float32(8.0) - sums_v0[v_i0] / T.float32(8.0) * (sums_v0[v_i0] / T.float32(8.0)) + T.float32(0.0009765625)) * gamma[v_i1] + beta[v_i1]

    @T.prim_func
    def least(A: T.Buffer((3, 3), "int32"), least: T.Buffer((3,), "int32"), product: T.Buffer((3,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, k0 in T.grid(3, 3):
            with T.block("least"):
                v_i0, v_k0 = T.axis.remap("SR", [i0, k0])
                T.reads(A[v_k0, v_i0])
                T.writes(least[v_i0])
                with T.init():
                    least[v_i0] = 2147483647
                least[v_i0] = T.min(least[v_i0], A[v_k0, v_i0])
        for i0, k0 in T.grid(3, 3):
            with T.block("product"):
                v_i0, v_k0 = T.axis.remap("SR", [i0, k0])
                T.reads(A[v_k0, v_i0])
                T.writes(product[v_i0])
                with T.init():
                    product[v_i0] = 1
                product[v_i0] = product[v_i0] * A[v_k0, v_i0]

    @T.prim_func
    def matmul(A: T.Buffer((4, 3), "float32"), B: T.Buffer((3, 5), "float32"), C: T.Buffer((4, 5), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j, k in T.grid(4, 5, 3):
            with T.block("C"):
                v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
                T.reads(A[v_i, v_k], B[v_k, v_j])
                T.writes(C[v_i, v_j])
                with T.init():
                    C[v_i, v_j] = T.float32(0.0)
                C[v_i, v_j] = C[v_i, v_j] + A[v_i, v_k] * B[v_k, v_j]

    @T.prim_func
    def max_pool(X: T.Buffer((3, 6, 4), "float32"), pool: T.Buffer((3, 3, 2), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1, i2, ry, rx in T.grid(3, 3, 2, 2, 2):
            with T.block("pool"):
                v_i0, v_i1, v_i2, v_ry, v_rx = T.axis.remap("SSSRR", [i0, i1, i2, ry, rx])
                T.reads(X[v_i0, v_i1 * 2 + v_ry, v_i2 * 2 + v_rx])
                T.writes(pool[v_i0, v_i1, v_i2])
                with T.init():
                    pool[v_i0, v_i1, v_i2] = T.float32("-inf")
                pool[v_i0, v_i1, v_i2] = T.max(pool[v_i0, v_i1, v_i2], X[v_i0, v_i1 * 2 + v_ry, v_i2 * 2 + v_rx])

    @T.prim_func
    def maybe_empty(A_handle: T.handle, B_handle: T.handle, C_handle: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        l = T.int64()
        A = T.match_buffer(A_handle, (n, l))
        m = T.int64()
        B = T.match_buffer(B_handle, (l, m))
        C = T.match_buffer(C_handle, (n, m))
        for i, j in T.grid(n, m):
            with T.block("C_init"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads()
                T.writes(C[v_i, v_j])
                C[v_i, v_j] = T.float32(0.0)
        for i, j, k in T.grid(n, m, l):
            with T.block("C"):
                v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
                T.reads(C[v_i, v_j], A[v_i, v_k], B[v_k, v_j])
                T.writes(C[v_i, v_j])
                C[v_i, v_j] = C[v_i, v_j] + A[v_i, v_k] * B[v_k, v_j]

    @T.prim_func
    def prefix_sum(A_handle: T.handle, sums_handle: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(A_handle, (n,))
        sums = T.match_buffer(sums_handle, (n,))
        for i in range(n):
            with T.block("scan"):
                v_i = T.axis.scan(n, i)
                T.reads(sums[v_i - T.int64(1)], A[v_i])
                T.writes(sums[v_i])
                sums[v_i] = T.if_then_else(v_i > T.int64(0), sums[v_i - T.int64(1)], T.float32(0.0)) + A[v_i]

    @T.prim_func
    def softmax(X: T.Buffer((3, 5), "float32"), softmax: T.Buffer((3, 5), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        top = T.alloc_buffer((3,))
        e = T.alloc_buffer((3, 5))
        sum = T.alloc_buffer((3,))
        for i, k in T.grid(3, 5):
            with T.block("top"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                T.reads(X[v_i, v_k])
                T.writes(top[v_i])
                with T.init():
                    top[v_i] = T.float32("-inf")
                top[v_i] = T.max(top[v_i], X[v_i, v_k])
        for i, j in T.grid(3, 5):
            with T.block("e"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads(X[v_i, v_j], top[v_i])
                T.writes(e[v_i, v_j])
                e[v_i, v_j] = T.exp(X[v_i, v_j] - top[v_i])
        for i, k in T.grid(3, 5):
            with T.block("sum"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                T.reads(e[v_i, v_k])
                T.writes(sum[v_i])
                with T.init():
                    sum[v_i] = T.float32(0.0)
                sum[v_i] = sum[v_i] + e[v_i, v_k]
        for i, j in T.grid(3, 5):
            with T.block("softmax"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads(e[v_i, v_j], sum[v_i])
                T.writes(softmax[v_i, v_j])
                softmax[v_i, v_j] = e[v_i, v_j] / sum[v_i]

    @T.prim_func
    def symbolic(A_handle: T.handle, B_handle: T.handle, C_handle: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int32()
        l = T.int32()
        A = T.match_buffer(A_handle, (n, l))
        m = T.int32()
        B = T.match_buffer(B_handle, (l, m))
        C = T.match_buffer(C_handle, (n, m))
        for i, j, k in T.grid(n, m, l):
            with T.block("C"):
                v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
                T.reads(A[v_i, v_k], B[v_k, v_j])
                T.writes(C[v_i, v_j])
                with T.init():
                    C[v_i, v_j] = T.float32(0.0)
                C[v_i, v_j] = C[v_i, v_j] + A[v_i, v_k] * B[v_k, v_j]

    @T.prim_func
    def total(A: T.Buffer((6, 6), "float64"), total: T.Buffer((), "float64")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k0, k1 in T.grid(6, 6):
            with T.block("total"):
                v_k0, v_k1 = T.axis.remap("RR", [k0, k1])
                T.reads(A[v_k0, v_k1])
                T.writes(total[()])
                with T.init():
                    total[()] = T.float64(0.0)
                total[()] = total[()] + A[v_k0, v_k1]

    @T.prim_func
    def transpose(A: T.Buffer((2, 3, 2), "float32"), B: T.Buffer((2, 2, 3), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1, i2 in T.grid(2, 2, 3):
            with T.block("B"):
                v_i0, v_i1, v_i2 = T.axis.remap("SSS", [i0, i1, i2])
                T.reads(A[v_i1, v_i2, v_i0])
                T.writes(B[v_i0, v_i1, v_i2])
                B[v_i0, v_i1, v_i2] = A[v_i1, v_i2, v_i0]

    @T.prim_func
    def two_outputs(A0_handle: T.handle, A1_handle: T.handle, B_v0_handle: T.handle, B_v1_handle: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        m = T.int32()
        n = T.int32()
        A0 = T.match_buffer(A0_handle, (m, n))
        A1 = T.match_buffer(A1_handle, (m, n))
        B_v0 = T.match_buffer(B_v0_handle, (m, n))
        B_v1 = T.match_buffer(B_v1_handle, (m, n))
        for i, j in T.grid(m, n):
            with T.block("B_v0"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads(A0[v_i, v_j])
                T.writes(B_v0[v_i, v_j])
                B_v0[v_i, v_j] = A0[v_i, v_j] + T.float32(2.0)
            with T.block("B_v1"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads(A1[v_i, v_j])
                T.writes(B_v1[v_i, v_j])
                B_v1[v_i, v_j] = A1[v_i, v_j] * T.float32(3.0)
