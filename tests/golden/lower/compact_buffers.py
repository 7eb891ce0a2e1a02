# run: tenon opt --passes=lower_blocks,compact_buffers,simplify %s
# Caches of a schedule, declared whole at the function's start, become as large as what one round uses: a packed panel
# with a rest that a condition cuts off, a reduction whose first round sets it, sizes that are not known, threads.
@T.prim_func
def packed(A: T.Buffer((16, 22), "float32"), B: T.Buffer((16, 22), "float32")):
    P = T.alloc_buffer((6, 16, 4))
    for jc in range(3):
        for k, jo in T.grid(16, 2):
            for ji in T.vectorized(4):
                with T.block("P"):
                    vk = T.axis.spatial(16, k)
                    vj = T.axis.spatial(22, jc * 8 + jo * 4 + ji)
                    T.where(jc * 8 + jo * 4 + ji < 22)
                    P[vj // 4, vk, vj % 4] = A[vk, vj]
        for jo, k in T.grid(2, 16):
            for ji in T.vectorized(4):
                with T.block("B"):
                    vk = T.axis.spatial(16, k)
                    vj = T.axis.spatial(22, jc * 8 + jo * 4 + ji)
                    T.where(jc * 8 + jo * 4 + ji < 22)
                    B[vk, vj] = P[vj // 4, vk, vj % 4] * T.float32(2)

@T.prim_func
def reduced(A: T.Buffer((32, 8), "float32"), B: T.Buffer((32,), "float32")):
    S = T.alloc_buffer((32,))
    for io in T.parallel(8):
        for ko, ii, ki in T.grid(2, 4, 4):
            with T.block("S"):
                vi = T.axis.spatial(32, io * 4 + ii)
                vk = T.axis.reduce(8, ko * 4 + ki)
                with T.init():
                    S[vi] = T.float32(0)
                S[vi] = S[vi] + A[vi, vk]
        for ii in range(4):
            with T.block("B"):
                vi = T.axis.spatial(32, io * 4 + ii)
                B[vi] = S[vi]

@T.prim_func
def sizes(a: T.handle, b: T.handle):
    n = T.int32()
    m = T.int32()
    A = T.match_buffer(a, (n, m), "float32")
    B = T.match_buffer(b, (n, m), "float32")
    P = T.alloc_buffer((n, m))
    for i in range(n):
        for j in range(m):
            P[i, j] = A[i, j] + T.float32(1)
        for j in range(m):
            B[i, m - 1 - j] = P[i, j]

@T.prim_func
def window(A: T.Buffer((20,), "float32"), B: T.Buffer((16,), "float32")):
    P = T.alloc_buffer((20,))
    for io in range(4):
        for x in range(8):
            P[io * 4 + x] = A[io * 4 + x] * T.float32(3)
        for ii, r in T.grid(4, 5):
            if r == 0:
                B[io * 4 + ii] = T.float32(0)
            B[io * 4 + ii] = B[io * 4 + ii] + P[io * 4 + ii + r]
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def packed(A: T.Buffer((16, 22), "float32"), B: T.Buffer((16, 22), "float32")):
        for jc in range(3):
            P = T.allocate([2, 16, 4], "float32", "global")
            P_1 = T.decl_buffer((2, 16, 4), data=P)
            for k, jo in T.grid(16, 2):
                for ji in T.vectorized(4):
                    if jc * 8 + jo * 4 + ji < 22:
                        P_1[jo, k, ji] = A[k, jc * 8 + jo * 4 + ji]
            for jo, k in T.grid(2, 16):
                for ji in T.vectorized(4):
                    if jc * 8 + jo * 4 + ji < 22:
                        B[k, jc * 8 + jo * 4 + ji] = P_1[jo, k, ji] * T.float32(2.0)

    @T.prim_func
    def reduced(A: T.Buffer((32, 8), "float32"), B: T.Buffer((32,), "float32")):
        for io in T.parallel(8):
            S = T.allocate([4], "float32", "global")
            S_1 = T.decl_buffer((4,), data=S)
            for ko, ii, ki in T.grid(2, 4, 4):
                if ko * 4 + ki == 0:
                    S_1[ii] = T.float32(0.0)
                S_1[ii] = S_1[ii] + A[io * 4 + ii, ko * 4 + ki]
            for ii in range(4):
                B[io * 4 + ii] = S_1[ii]

    @T.prim_func
    def sizes(a: T.handle, b: T.handle):
        n = T.int32()
        m = T.int32()
        A = T.match_buffer(a, (n, m))
        B = T.match_buffer(b, (n, m))
        for i in range(n):
            P = T.allocate([1, m], "float32", "global")
            P_1 = T.decl_buffer((1, m), data=P)
            for j in range(m):
                P_1[0, j] = A[i, j] + T.float32(1.0)
            for j in range(m):
                B[i, m - j - 1] = P_1[0, j]

    @T.prim_func
    def window(A: T.Buffer((20,), "float32"), B: T.Buffer((16,), "float32")):
        for io in range(4):
            P = T.allocate([8], "float32", "global")
            P_1 = T.decl_buffer((8,), data=P)
            for x in range(8):
                P_1[x] = A[io * 4 + x] * T.float32(3.0)
            for ii, r in T.grid(4, 5):
                if r == 0:
                    B[io * 4 + ii] = T.float32(0.0)
                B[io * 4 + ii] = B[io * 4 + ii] + P_1[ii + r]
