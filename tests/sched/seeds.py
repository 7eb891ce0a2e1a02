# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon authors.
# Programs that random schedules start from (tests/unit/sched_random_test.c), one after each line "# ----".
# Data are small whole numbers: no order of adding them rounds, and divisions stand last. What begins
# with "lie" claims about its blocks what is not so: steps may be refused, and nothing may come out wrong.
# ---- matmul
@T.prim_func
def f(A: T.Buffer((8, 12), "float32"), B: T.Buffer((12, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    for i, j, k in T.grid(8, 8, 12):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

# ---- matmul_odd_relu
@T.prim_func
def f(A: T.Buffer((7, 5), "float32"), B: T.Buffer((5, 9), "float32"), D: T.Buffer((7, 9), "float32")):
    C = T.alloc_buffer((7, 9))
    for i, j, k in T.grid(7, 9, 5):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(7, 9):
        with T.block("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = T.max(C[vi, vj], T.float32(0))

# ---- matmul_bias_int
@T.prim_func
def f(A: T.Buffer((6, 4), "int32"), B: T.Buffer((8, 4), "int32"), E: T.Buffer((8,), "int32"), D: T.Buffer((6, 8), "int32")):
    C = T.alloc_buffer((6, 8), "int32")
    for i, j, k in T.grid(6, 8, 4):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = 0
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]
    for i, j in T.grid(6, 8):
        with T.block("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = C[vi, vj] + E[vj]

# ---- matmul_symbolic
@T.prim_func
def f(a: T.handle, b: T.handle, c: T.handle):
    n = T.int64()
    m = T.int64()
    A = T.match_buffer(a, (n, 6), "float32")
    B = T.match_buffer(b, (6, m), "float32")
    C = T.match_buffer(c, (n, m), "float32")
    for i, j, k in T.grid(n, m, 6):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

# ---- batched_matmul
@T.prim_func
def f(A: T.Buffer((3, 4, 6), "float32"), B: T.Buffer((3, 6, 4), "float32"), C: T.Buffer((3, 4, 4), "float32")):
    for b, i, j, k in T.grid(3, 4, 4, 6):
        with T.block("C"):
            vb, vi, vj, vk = T.axis.remap("SSSR", [b, i, j, k])
            with T.init():
                C[vb, vi, vj] = T.float32(0)
            C[vb, vi, vj] = C[vb, vi, vj] + A[vb, vi, vk] * B[vb, vk, vj]

# ---- two_matmuls
@T.prim_func
def f(A: T.Buffer((4, 6), "float32"), B: T.Buffer((6, 8), "float32"), W: T.Buffer((8, 5), "float32"), D: T.Buffer((4, 5), "float32")):
    C = T.alloc_buffer((4, 8))
    for i, j, k in T.grid(4, 8, 6):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j, k in T.grid(4, 5, 8):
        with T.block("D"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                D[vi, vj] = T.float32(0)
            D[vi, vj] = D[vi, vj] + C[vi, vk] * W[vk, vj]

# ---- conv1d_padded
@T.prim_func
def f(A: T.Buffer((2, 10), "float32"), W: T.Buffer((3, 2, 3), "float32"), C: T.Buffer((3, 10), "float32")):
    P = T.alloc_buffer((2, 12))
    for c, x in T.grid(2, 12):
        with T.block("P"):
            vc, vx = T.axis.remap("SS", [c, x])
            P[vc, vx] = T.if_then_else(1 <= vx and vx < 11, A[vc, vx - 1], T.float32(0))
    for o, x, c, r in T.grid(3, 10, 2, 3):
        with T.block("C"):
            vo, vx, vc, vr = T.axis.remap("SSRR", [o, x, c, r])
            with T.init():
                C[vo, vx] = T.float32(0)
            C[vo, vx] = C[vo, vx] + P[vc, vx + vr] * W[vo, vc, vr]

# ---- conv2d_padded
@T.prim_func
def f(A: T.Buffer((2, 5, 6), "float32"), W: T.Buffer((3, 2, 3, 3), "float32"), D: T.Buffer((3, 5, 6), "float32")):
    P = T.alloc_buffer((2, 7, 8))
    C = T.alloc_buffer((3, 5, 6))
    for c, y, x in T.grid(2, 7, 8):
        with T.block("P"):
            vc, vy, vx = T.axis.remap("SSS", [c, y, x])
            P[vc, vy, vx] = T.if_then_else(1 <= vy and vy < 6 and 1 <= vx and vx < 7, A[vc, vy - 1, vx - 1], T.float32(0))
    for o, y, x, c, r, s in T.grid(3, 5, 6, 2, 3, 3):
        with T.block("C"):
            vo, vy, vx, vc, vr, vs = T.axis.remap("SSSRRR", [o, y, x, c, r, s])
            with T.init():
                C[vo, vy, vx] = T.float32(0)
            C[vo, vy, vx] = C[vo, vy, vx] + P[vc, vy + vr, vx + vs] * W[vo, vc, vr, vs]
    for o, y, x in T.grid(3, 5, 6):
        with T.block("D"):
            vo, vy, vx = T.axis.remap("SSS", [o, y, x])
            D[vo, vy, vx] = T.max(C[vo, vy, vx], T.float32(0))

# ---- conv2d_strided
@T.prim_func
def f(A: T.Buffer((2, 9, 7), "float32"), W: T.Buffer((2, 2, 3, 3), "float32"), C: T.Buffer((2, 4, 3), "float32")):
    for o, y, x, c, r, s in T.grid(2, 4, 3, 2, 3, 3):
        with T.block("C"):
            vo, vy, vx, vc, vr, vs = T.axis.remap("SSSRRR", [o, y, x, c, r, s])
            with T.init():
                C[vo, vy, vx] = T.float32(0)
            C[vo, vy, vx] = C[vo, vy, vx] + A[vc, vy * 2 + vr, vx * 2 + vs] * W[vo, vc, vr, vs]

# ---- depthwise
@T.prim_func
def f(A: T.Buffer((3, 6, 6), "int32"), W: T.Buffer((3, 3, 3), "int32"), D: T.Buffer((3, 4, 4), "int32")):
    C = T.alloc_buffer((3, 4, 4), "int32")
    for c, y, x, r, s in T.grid(3, 4, 4, 3, 3):
        with T.block("C"):
            vc, vy, vx, vr, vs = T.axis.remap("SSSRR", [c, y, x, r, s])
            with T.init():
                C[vc, vy, vx] = 0
            C[vc, vy, vx] = C[vc, vy, vx] + A[vc, vy + vr, vx + vs] * W[vc, vr, vs]
    for c, y, x in T.grid(3, 4, 4):
        with T.block("D"):
            vc, vy, vx = T.axis.remap("SSS", [c, y, x])
            D[vc, vy, vx] = T.min(T.max(C[vc, vy, vx], 0), 6)

# ---- max_pool
@T.prim_func
def f(A: T.Buffer((2, 6, 8), "float32"), B: T.Buffer((2, 3, 4), "float32")):
    for c, y, x, r, s in T.grid(2, 3, 4, 2, 2):
        with T.block("B"):
            vc, vy, vx, vr, vs = T.axis.remap("SSSRR", [c, y, x, r, s])
            with T.init():
                B[vc, vy, vx] = T.float32(-1000)
            B[vc, vy, vx] = T.max(B[vc, vy, vx], A[vc, vy * 2 + vr, vx * 2 + vs])

# ---- average_pool
@T.prim_func
def f(A: T.Buffer((2, 6, 6), "float32"), C: T.Buffer((2, 4, 4), "float32")):
    B = T.alloc_buffer((2, 4, 4))
    for c, y, x, r, s in T.grid(2, 4, 4, 3, 3):
        with T.block("B"):
            vc, vy, vx, vr, vs = T.axis.remap("SSSRR", [c, y, x, r, s])
            with T.init():
                B[vc, vy, vx] = T.float32(0)
            B[vc, vy, vx] = B[vc, vy, vx] + A[vc, vy + vr, vx + vs]
    for c, y, x in T.grid(2, 4, 4):
        with T.block("C"):
            vc, vy, vx = T.axis.remap("SSS", [c, y, x])
            C[vc, vy, vx] = B[vc, vy, vx] / T.float32(8)

# ---- softmax
@T.prim_func
def f(A: T.Buffer((5, 7), "float32"), D: T.Buffer((5, 7), "float32")):
    M = T.alloc_buffer((5,))
    E = T.alloc_buffer((5, 7))
    S = T.alloc_buffer((5,))
    for i, k in T.grid(5, 7):
        with T.block("M"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                M[vi] = T.float32(-1000)
            M[vi] = T.max(M[vi], A[vi, vk])
    for i, j in T.grid(5, 7):
        with T.block("E"):
            vi, vj = T.axis.remap("SS", [i, j])
            E[vi, vj] = (A[vi, vj] - M[vi]) * (A[vi, vj] - M[vi]) + T.float32(1)
    for i, k in T.grid(5, 7):
        with T.block("S"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                S[vi] = T.float32(0)
            S[vi] = S[vi] + E[vi, vk]
    for i, j in T.grid(5, 7):
        with T.block("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = E[vi, vj] / S[vi]

# ---- layer_norm
@T.prim_func
def f(A: T.Buffer((4, 8), "float32"), G: T.Buffer((8,), "float32"), D: T.Buffer((4, 8), "float32")):
    S = T.alloc_buffer((4,))
    Q = T.alloc_buffer((4,))
    for i, k in T.grid(4, 8):
        with T.block("S"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                S[vi] = T.float32(0)
                Q[vi] = T.float32(0)
            S[vi] = S[vi] + A[vi, vk]
            Q[vi] = Q[vi] + A[vi, vk] * A[vi, vk]
    for i, j in T.grid(4, 8):
        with T.block("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = (A[vi, vj] * T.float32(8) - S[vi]) * G[vj] + Q[vi]

# ---- prefix_scan
@T.prim_func
def f(A: T.Buffer((13,), "int32"), B: T.Buffer((13,), "int32")):
    with T.block("first"):
        B[0] = A[0]
    for i in range(12):
        with T.block("B"):
            vi = T.axis.opaque(12, i)
            B[vi + 1] = B[vi] + A[vi + 1]

# ---- scan_rows
@T.prim_func
def f(A: T.Buffer((6, 9), "int32")):
    for i, j in T.grid(5, 9):
        with T.block("A"):
            vi = T.axis.opaque(5, i)
            vj = T.axis.spatial(9, j)
            A[vi + 1, vj] = A[vi, vj] + A[vi + 1, vj]

# ---- jacobi
@T.prim_func
def f(A: T.Buffer((6, 8), "float32"), B: T.Buffer((6, 8), "float32"), C: T.Buffer((6, 8), "float32")):
    for i, j in T.grid(6, 8):
        with T.block("edge"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
    for i, j in T.grid(4, 6):
        with T.block("B"):
            vi = T.axis.spatial((1, 5), i + 1)
            vj = T.axis.spatial((1, 7), j + 1)
            B[vi, vj] = A[vi - 1, vj] + A[vi + 1, vj] + A[vi, vj - 1] + A[vi, vj + 1]
    for i, j in T.grid(6, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] - A[vi, vj]

# ---- gauss_seidel
@T.prim_func
def f(A: T.Buffer((7, 7), "int32")):
    for i, j in T.grid(5, 5):
        A[i + 1, j + 1] = (A[i, j + 1] + A[i + 1, j] + A[i + 1, j + 2] + A[i + 2, j + 1]) % 17

# ---- wavefront
@T.prim_func
def f(A: T.Buffer((6, 7), "int32")):
    for i, j in T.grid(5, 6):
        with T.block("A"):
            vi = T.axis.opaque(5, i)
            vj = T.axis.opaque(6, j)
            A[vi + 1, vj] = A[vi, vj + 1] + A[vi, vj]

# ---- stencil_rows
@T.prim_func
def f(P: T.Buffer((10, 8), "float32"), A: T.Buffer((8, 8), "float32")):
    B = T.alloc_buffer((10, 8))
    for i, j in T.grid(10, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = P[vi, vj] * T.float32(2)
    for i, j in T.grid(8, 8):
        with T.block("A"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi, vj] = B[vi, vj] + B[vi + 1, vj] + B[vi + 2, vj]

# ---- stencil_chain
@T.prim_func
def f(A: T.Buffer((16,), "int32"), D: T.Buffer((12,), "int32")):
    B = T.alloc_buffer((14,), "int32")
    for i in range(14):
        with T.block("B"):
            vi = T.axis.spatial(14, i)
            B[vi] = A[vi] + A[vi + 1] * 2 + A[vi + 2]
    for i in range(12):
        with T.block("D"):
            vi = T.axis.spatial(12, i)
            D[vi] = B[vi] - B[vi + 2]

# ---- gather
@T.prim_func
def f(I: T.Buffer((6,), "int32"), A: T.Buffer((7, 5), "float32"), B: T.Buffer((6, 5), "float32")):
    for i, j in T.grid(6, 5):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[I[vi] + 3, vj] * T.float32(2)

# ---- scatter_add
@T.prim_func
def f(I: T.Buffer((10,), "int32"), A: T.Buffer((10,), "int32"), H: T.Buffer((7,), "int32")):
    for i in range(10):
        with T.block("H"):
            vi = T.axis.opaque(10, i)
            H[I[vi] + 3] = H[I[vi] + 3] + A[vi]

# ---- transposes
@T.prim_func
def f(A: T.Buffer((4, 5, 6), "int32"), C: T.Buffer((6, 4, 5), "int32")):
    B = T.alloc_buffer((5, 6, 4), "int32")
    for i, j, k in T.grid(5, 6, 4):
        with T.block("B"):
            vi, vj, vk = T.axis.remap("SSS", [i, j, k])
            B[vi, vj, vk] = A[vk, vi, vj] + 1
    for i, j, k in T.grid(6, 4, 5):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSS", [i, j, k])
            C[vi, vj, vk] = B[vk, vi, vj] * 3

# ---- reshape
@T.prim_func
def f(A: T.Buffer((6, 8), "int32"), C: T.Buffer((3, 16), "int32")):
    B = T.alloc_buffer((48,), "int32")
    for i in range(48):
        with T.block("B"):
            vi = T.axis.spatial(48, i)
            B[vi] = A[vi // 8, vi % 8] * 2
    for i, j in T.grid(3, 16):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi * 16 + vj] - 1

# ---- sum_rows_then_all
@T.prim_func
def f(A: T.Buffer((6, 8), "int32"), B: T.Buffer((1,), "int32")):
    R = T.alloc_buffer((6,), "int32")
    for i, k in T.grid(6, 8):
        with T.block("R"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                R[vi] = 0
            R[vi] = R[vi] + A[vi, vk]
    for k in range(6):
        with T.block("B"):
            vk = T.axis.reduce(6, k)
            with T.init():
                B[0] = 0
            B[0] = B[0] + R[vk]

# ---- product_min
@T.prim_func
def f(A: T.Buffer((3, 4, 5), "int32"), B: T.Buffer((5, 3), "int32"), M: T.Buffer((5,), "int32")):
    for i, j, k in T.grid(3, 4, 5):
        with T.block("B"):
            vk = T.axis.spatial(5, k)
            vi = T.axis.spatial(3, i)
            vj = T.axis.reduce(4, j)
            with T.init():
                B[vk, vi] = 1
            B[vk, vi] = B[vk, vi] * A[vi, vj, vk]
    for k, i in T.grid(5, 3):
        with T.block("M"):
            vk, vi = T.axis.remap("SR", [k, i])
            with T.init():
                M[vk] = 100000
            M[vk] = T.min(M[vk], B[vk, vi])

# ---- any_all_bits
@T.prim_func
def f(A: T.Buffer((4, 8), "int32"), X: T.Buffer((4,), "int32"), O: T.Buffer((4,), "int32")):
    for i, k in T.grid(4, 8):
        with T.block("X"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                X[vi] = 0
            X[vi] = T.bitwise_xor(X[vi], A[vi, vk])
    for i, k in T.grid(4, 8):
        with T.block("O"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                O[vi] = 0
            O[vi] = T.bitwise_or(O[vi], A[vi, vk])

# ---- argmax
@T.prim_func
def f(A: T.Buffer((6, 12), "int32"), V: T.Buffer((6,), "int32"), I: T.Buffer((6,), "int32")):
    for i, k in T.grid(6, 12):
        with T.block("M"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                V[vi] = -100
                I[vi] = -1
            x: T.int32 = T.Select(V[vi] >= A[vi, vk], V[vi], A[vi, vk])
            y: T.int32 = T.Select(V[vi] >= A[vi, vk], I[vi], vk)
            V[vi] = x
            I[vi] = y

# ---- row_sums_symbolic
@T.prim_func
def f(a: T.handle, b: T.handle):
    n = T.int64()
    m = T.int64()
    A = T.match_buffer(a, (n, m), "float32")
    B = T.match_buffer(b, (n,), "float32")
    for i, k in T.grid(n, m):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]

# ---- elementwise_symbolic
@T.prim_func
def f(a: T.handle, c: T.handle):
    n = T.int64()
    A = T.match_buffer(a, (n,), "int32")
    C = T.match_buffer(c, (n,), "int32")
    B = T.alloc_buffer((n,), "int32")
    for i in range(n):
        with T.block("B"):
            vi = T.axis.spatial(n, i)
            B[vi] = A[vi] * 2
    for i in range(n):
        with T.block("C"):
            vi = T.axis.spatial(n, i)
            C[vi] = B[vi] + 1

# ---- elementwise_chain
@T.prim_func
def f(A: T.Buffer((5, 9), "int32"), D: T.Buffer((5, 9), "int32")):
    B = T.alloc_buffer((5, 9), "int32")
    C = T.alloc_buffer((5, 9), "int32")
    for i, j in T.grid(5, 9):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + 1
    for i, j in T.grid(5, 9):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] * 2
    for i, j in T.grid(5, 9):
        with T.block("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = C[vi, vj] - B[vi, vj]

# ---- in_place
@T.prim_func
def f(A: T.Buffer((6, 8), "int32"), B: T.Buffer((8,), "int32")):
    for i, j in T.grid(6, 8):
        with T.block("A"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi, vj] = A[vi, vj] * 2 + B[vj]
    for i, j in T.grid(6, 8):
        with T.block("half"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where(j < 4)
            A[vi, vj] = A[vi, vj] + A[vi, vj + 4]

# ---- several_outputs
@T.prim_func
def f(A: T.Buffer((6, 6), "int32"), B: T.Buffer((6, 6), "int32"), C: T.Buffer((6, 6), "int32")):
    for i, j in T.grid(6, 6):
        with T.block("BC"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + 1
            C[vj, vi] = A[vi, vj] - 1

# ---- predicates
@T.prim_func
def f(A: T.Buffer((23,), "int32"), C: T.Buffer((23,), "int32")):
    B = T.alloc_buffer((23,), "int32")
    for i, j in T.grid(6, 4):
        with T.block("B"):
            T.where(i * 4 + j < 23)
            vi = T.axis.spatial(23, i * 4 + j)
            B[vi] = A[vi] * 3
    for i, j in T.grid(5, 5):
        with T.block("C"):
            T.where(i * 5 + j < 23)
            vi = T.axis.spatial(23, i * 5 + j)
            C[vi] = B[vi] - A[vi]

# ---- triangle
@T.prim_func
def f(A: T.Buffer((6, 6), "int32"), B: T.Buffer((6, 6), "int32")):
    for i in range(6):
        for j in range(i + 1):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vj, vi] + B[vi, vj]

# ---- non_zero_min
@T.prim_func
def f(A: T.Buffer((12, 9), "int32"), B: T.Buffer((12, 9), "int32")):
    for i in range(2, 11):
        for j in range(1, 8):
            with T.block("B"):
                vi = T.axis.spatial((2, 11), i)
                vj = T.axis.spatial((1, 8), j)
                B[vi, vj] = A[vi - 2, vj + 1] + A[vi, vj - 1]

# ---- nested_blocks
@T.prim_func
def f(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    for io, jo in T.grid(2, 2):
        with T.block("outer"):
            vio, vjo = T.axis.remap("SS", [io, jo])
            for ii, ji, k in T.grid(4, 4, 8):
                with T.block("C"):
                    vi = T.axis.spatial(8, vio * 4 + ii)
                    vj = T.axis.spatial(8, vjo * 4 + ji)
                    vk = T.axis.reduce(8, k)
                    with T.init():
                        C[vi, vj] = T.float32(0)
                    C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]

# ---- reduction_with_tail
@T.prim_func
def f(A: T.Buffer((4, 6), "int32"), B: T.Buffer((4,), "int32"), C: T.Buffer((4,), "int32")):
    for i in range(4):
        for k in range(6):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = C[vi]
                B[vi] = B[vi] + A[vi, vk]
        with T.block("C"):
            vi = T.axis.spatial(4, i)
            C[vi] = B[vi] * 3

# ---- shifted_sum
@T.prim_func
def f(A: T.Buffer((10,), "int32"), B: T.Buffer((8,), "int32")):
    for i, k in T.grid(8, 3):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = 0
            B[vi] = B[vi] + A[vi + vk]

# ---- neighbours
@T.prim_func
def f(A: T.Buffer((6, 5), "int32"), B: T.Buffer((6, 5), "int32"), C: T.Buffer((6, 5), "int32")):
    for i in range(6):
        for j in range(5):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + 1
        for j in range(5):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, 4 - vj] * 2

# ---- copies_of_one
@T.prim_func
def f(A: T.Buffer((8,), "int32"), B: T.Buffer((8, 6), "int32"), C: T.Buffer((6, 8), "int32")):
    for i, j in T.grid(8, 6):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi // 2] + vj
    for i, j in T.grid(6, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[7 - vj] + A[(vi + vj) % 8]

# ---- product_of_rows
@T.prim_func
def dot(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((1,), "float32")):
    with T.block("root"):
        T.reads(C[0], A[0:4], B[0:4])
        T.writes(C[0])
        for i in range(4):
            with T.block("update"):
                vi = T.axis.remap("R", [i])
                C[0] = C[0] + A[vi] * B[vi]
@T.prim_func
def fast(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((1,), "float32")):
    with T.block("root"):
        T.reads(C[0], A[0:4], B[0:4])
        T.writes(C[0])
        C[0] = C[0] + (A[0] * B[0] + A[1] * B[1]) + (A[2] * B[2] + A[3] * B[3])
@T.prim_func
def f(X: T.Buffer((6, 12), "float32"), Y: T.Buffer((5, 12), "float32"), Z: T.Buffer((6, 5), "float32")):
    for i, j, k in T.grid(6, 5, 12):
        with T.block("Z"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                Z[vi, vj] = T.float32(0)
            Z[vi, vj] = Z[vi, vj] + X[vi, vk] * Y[vj, vk]

# ---- sums_of_windows
@T.prim_func
def dot(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((1,), "float32")):
    with T.block("root"):
        T.reads(C[0], A[0:4], B[0:4])
        T.writes(C[0])
        for i in range(4):
            with T.block("update"):
                vi = T.axis.remap("R", [i])
                C[0] = C[0] + A[vi] * B[vi]
@T.prim_func
def fast(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((1,), "float32")):
    with T.block("root"):
        T.reads(C[0], A[0:4], B[0:4])
        T.writes(C[0])
        C[0] = C[0] + (A[0] * B[0] + A[1] * B[1]) + (A[2] * B[2] + A[3] * B[3])
@T.prim_func
def f(X: T.Buffer((4, 16), "float32"), Y: T.Buffer((4, 16), "float32"), Z: T.Buffer((4, 4), "float32")):
    for i, j, k in T.grid(4, 4, 8):
        with T.block("Z"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                Z[vi, vj] = T.float32(0)
            Z[vi, vj] = Z[vi, vj] + X[vi, vj * 2 + vk] * Y[vi, vk * 2]

# ---- blocks_without_axes
@T.prim_func
def f(A: T.Buffer((4, 6), "int32"), B: T.Buffer((4, 6), "int32"), C: T.Buffer((4, 6), "int32")):
    for i, j in T.grid(4, 6):
        with T.block("B"):
            B[i, j] = A[i, j] * 2
    for i in range(4):
        for j in range(6):
            with T.block("C"):
                vj = T.axis.spatial(6, j)
                C[i, vj] = B[i, vj] + A[i, 5 - vj]

# ---- local_memory
@T.prim_func
def f(A: T.Buffer((4, 6), "int32"), C: T.Buffer((4, 6), "int32")):
    B = T.alloc_buffer((4, 6), "int32")
    for i in range(4):
        with T.block("rows"):
            vi = T.axis.spatial(4, i)
            t = T.alloc_buffer((6,), "int32")
            for j in range(6):
                with T.block("t"):
                    vj = T.axis.spatial(6, j)
                    t[vj] = A[vi, vj] + 1
            for j in range(6):
                with T.block("B"):
                    vj = T.axis.spatial(6, j)
                    B[vi, vj] = t[vj] * t[5 - vj]
    for i, j in T.grid(4, 6):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] - B[vi, 0]

# ---- conditions
@T.prim_func
def f(A: T.Buffer((6, 8), "int32"), B: T.Buffer((6, 8), "int32")):
    for i, j in T.grid(6, 8):
        if i + j < 9:
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * 2
        else:
            with T.block("rest"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] - B[vi, vj]

# ---- lets_and_selects
@T.prim_func
def f(A: T.Buffer((5, 7), "float32"), B: T.Buffer((5, 7), "float32"), C: T.Buffer((5,), "float32")):
    for i, j in T.grid(5, 7):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            x: T.float32 = A[vi, vj] * T.float32(2)
            B[vi, vj] = T.Select(x > T.float32(0), x, T.if_then_else(vj > 0, A[vi, vj - 1], T.float32(-1)))
    for i, k in T.grid(5, 7):
        with T.block("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = T.float32(-1000)
            C[vi] = T.max(B[vi, vk], C[vi])

# ---- conv1d_bias
@T.prim_func
def f(A: T.Buffer((2, 10), "int32"), W: T.Buffer((3, 2, 3), "int32"), E: T.Buffer((3,), "int32"), D: T.Buffer((3, 10), "int32")):
    P = T.alloc_buffer((2, 12), "int32")
    C = T.alloc_buffer((3, 10), "int32")
    for c, x in T.grid(2, 12):
        with T.block("P"):
            vc, vx = T.axis.remap("SS", [c, x])
            P[vc, vx] = T.if_then_else(2 <= vx and vx < 12, A[vc, vx - 2], 0)
    for o, x, c, r in T.grid(3, 10, 2, 3):
        with T.block("C"):
            vo, vx, vc, vr = T.axis.remap("SSRR", [o, x, c, r])
            with T.init():
                C[vo, vx] = 0
            C[vo, vx] = C[vo, vx] + P[vc, vx + vr] * W[vo, vc, vr]
    for o, x in T.grid(3, 10):
        with T.block("D"):
            vo, vx = T.axis.remap("SS", [o, x])
            D[vo, vx] = C[vo, vx] + E[vo]

# ---- padded_rows_summed
@T.prim_func
def f(A: T.Buffer((5, 6), "int32"), E: T.Buffer((7,), "int32"), D: T.Buffer((7,), "int32")):
    P = T.alloc_buffer((7, 8), "int32")
    C = T.alloc_buffer((7,), "int32")
    for y, x in T.grid(7, 8):
        with T.block("P"):
            vy, vx = T.axis.remap("SS", [y, x])
            P[vy, vx] = T.Select(1 <= vy and vy < 6 and vx < 6, A[T.max(T.min(vy - 1, 4), 0), T.min(vx, 5)], 3)
    for y, k in T.grid(7, 8):
        with T.block("C"):
            vy, vk = T.axis.remap("SR", [y, k])
            with T.init():
                C[vy] = 0
            C[vy] = C[vy] + P[vy, vk]
    for y in range(7):
        with T.block("D"):
            vy = T.axis.spatial(7, y)
            D[vy] = E[vy] + C[vy]

# ---- lie_scan_is_spatial
@T.prim_func
def f(A: T.Buffer((9, 6), "int32")):
    for i, j in T.grid(8, 6):
        with T.block("A"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi + 1, vj] = A[vi, vj] + 1

# ---- lie_sum_is_spatial
@T.prim_func
def f(A: T.Buffer((4, 6), "int32"), B: T.Buffer((4,), "int32"), C: T.Buffer((4,), "int32")):
    for i, k in T.grid(4, 6):
        with T.block("B"):
            vi, vk = T.axis.remap("SS", [i, k])
            B[vi] = A[vi, vk] + vk
    for i in range(4):
        with T.block("C"):
            vi = T.axis.spatial(4, i)
            C[vi] = B[vi] * 2

# ---- lie_regions_small
@T.prim_func
def f(A: T.Buffer((8, 8), "int32"), B: T.Buffer((8, 8), "int32"), C: T.Buffer((8,), "int32")):
    for i, j in T.grid(8, 7):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = A[vi, vj] + A[vi, vj + 1]
    for i, k in T.grid(8, 7):
        with T.block("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(B[vi, 0])
            T.writes(C[vi])
            with T.init():
                C[vi] = 0
            C[vi] = C[vi] + B[vi, vk]

# ---- lie_writes_neighbour
@T.prim_func
def f(A: T.Buffer((8, 6), "int32"), B: T.Buffer((9, 6), "int32"), C: T.Buffer((8, 6), "int32")):
    for i, j in T.grid(8, 6):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = A[vi, vj]
            B[vi + 1, vj] = A[vi, vj] * 2
    for i, j in T.grid(8, 6):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj]

# ---- lie_reduction_order
@T.prim_func
def f(A: T.Buffer((4, 6), "int32"), B: T.Buffer((4,), "int32")):
    for i, k in T.grid(4, 6):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = 1
            B[vi] = B[vi] * 2 + A[vi, vk]

# ---- lie_reduction_reads_itself
@T.prim_func
def f(B: T.Buffer((5,), "int32"), C: T.Buffer((5,), "int32")):
    for i, k in T.grid(5, 4):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = 0
            B[vi] = B[vi] + (B[vi] % 3 + vk)
    for i in range(5):
        with T.block("C"):
            vi = T.axis.spatial(5, i)
            C[vi] = B[vi] + C[vi]

# ---- lie_condition_written_inside
@T.prim_func
def f(M: T.Buffer((6,), "int32"), A: T.Buffer((6, 4), "int32"), B: T.Buffer((6, 4), "int32")):
    for i, j in T.grid(6, 4):
        if M[i] % 2 == 0:
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj], M[vi])
                B[vi, vj] = A[vi, vj] + 1
                M[vi] = A[vi, vj] + vj

# ---- condition_reads
@T.prim_func
def f(M: T.Buffer((6,), "int32"), A: T.Buffer((6, 4), "int32"), B: T.Buffer((6, 4), "int32")):
    for i, j in T.grid(6, 4):
        if M[i] % 2 == 0:
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * 2
    for i in range(6):
        with T.block("M"):
            vi = T.axis.spatial(6, i)
            M[vi] = M[vi] + 1
    for i, j in T.grid(6, 4):
        with T.block("A"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where(M[i] % 3 > 0)
            A[vi, vj] = B[vi, vj] + M[vi]

# ---- loops_in_the_body
@T.prim_func
def f(A: T.Buffer((6, 8), "int32"), B: T.Buffer((6, 8), "int32"), C: T.Buffer((6, 8), "int32")):
    for i, j in T.grid(6, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[i, vj] + i * 3 - j
    for i, j in T.grid(6, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            if j < i + 2:
                C[i, vj] = B[vi, j] * 2

# ---- row_ends
@T.prim_func
def f(A: T.Buffer((6, 8), "int32"), B: T.Buffer((5, 8), "int32")):
    F = T.decl_buffer((48,), "int32", data=A.data)
    for i, j in T.grid(5, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = F[vi * 8 + vj + 1] + A[vi, 0]
    for i, j in T.grid(5, 8):
        with T.block("F"):
            vi, vj = T.axis.remap("SS", [i, j])
            F[vi * 8 + vj + 8] = B[vi, 7 - vj]
    for i, j in T.grid(5, 8):
        with T.block("A"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = B[vi, vj] + A[vi + 1, vj]

# ---- lie_strides_that_overlap
@T.prim_func
def f(A: T.Buffer((28,), "int32"), B: T.Buffer((6, 8), "int32"), C: T.Buffer((6, 8), "int32")):
    W = T.decl_buffer((6, 8), "int32", data=A.data, strides=(4, 1))
    for i, j in T.grid(6, 8):
        with T.block("W"):
            vi, vj = T.axis.remap("SS", [i, j])
            W[vi, vj] = B[vi, vj] * 3
    for i, j in T.grid(6, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = W[vi, vj] + W[vi, 0]

# ---- loops_that_may_be_empty
@T.prim_func
def f(a: T.handle, b: T.handle):
    n = T.int64()
    A = T.match_buffer(a, (n, 4), "int32")
    B = T.match_buffer(b, (n, 4), "int32")
    for i, j in T.grid(n - 3, 4):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi + 3, vj] = A[vi, vj] * 2
    for i, k in T.grid(n - 3, 4):
        with T.block("S"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                A[vi, 0] = 5
            A[vi, 0] = A[vi, 0] + B[vi + 3, vk]
