# run: tenon opt --passes=partition_loops,simplify %s
# The bulk of the rounds runs without the condition, the rest with its size; a parallel loop stays one loop, and so
# does what can be left early or compares with memory.
@T.prim_func
def f(A: T.Buffer((16,), "float32"), B: T.Buffer((20,), "float32")):
    for io in range(3):
        for ii in T.unroll(6):
            if io * 6 + ii < 16:
                A[io * 6 + ii] = T.float32(0)
    for i in range(10):
        if i >= 3 and i <= 7:
            B[i] = T.float32(1)
    for i in T.parallel(4):
        for j in T.vectorized(8):
            if i * 8 + j < 20:
                B[i * 8 + j] = T.float32(1)
    for i in range(8):
        if i * 3 > 10:
            break
    for i, j in T.grid(4, 8):
        if i * 8 + j < B[0]:
            A[j] = T.float32(2)
    for i, j in T.grid(4, 4):
        if 13 - i * 4 - j > 0 and i < 100:
            for k in range(4):
                if i * 4 + j + k < 14:
                    A[i * 4 + j] = T.float32(3)
    for i, ko, ki in T.grid(4, 3, 4):
        if ko * 4 + ki == 0:
            A[i] = T.float32(0)
        A[i] = A[i] + B[ko * 4 + ki]

@T.prim_func
def tiles(a: T.handle, b: T.handle, C: T.Buffer((50, 22), "float32")):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    for io in range((n + 5) // 6):
        for k in range(3):
            for ii in T.unroll(6):
                if io * 6 + ii < n:
                    A[io * 6 + ii] = A[io * 6 + ii] + T.Cast("float32", k)
    for ij in T.parallel(27):
        for k in range(3):
            for ii in T.unroll(6):
                for jj in T.vectorized(8):
                    if ij // 3 * 6 + ii < 50 and ij % 3 * 8 + jj < 22:
                        C[ij // 3 * 6 + ii, ij % 3 * 8 + jj] = C[ij // 3 * 6 + ii, ij % 3 * 8 + jj] + B[0]
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((16,), "float32"), B: T.Buffer((20,), "float32")):
        for io in range(2):
            for ii in T.unroll(6):
                A[io * 6 + ii] = T.float32(0.0)
        for ii in T.unroll(4):
            A[ii + 12] = T.float32(0.0)
        for i in range(3, 8):
            B[i] = T.float32(1.0)
        for i in T.parallel(4):
            if i < 2:
                for j in T.vectorized(8):
                    B[i * 8 + j] = T.float32(1.0)
            else:
                if i < 3:
                    for j in T.vectorized(4):
                        B[j + 16] = T.float32(1.0)
                else:
                    for j in T.vectorized(8):
                        pass
        for i in range(8):
            if 3 < i:
                break
        for i, j in T.grid(4, 8):
            if T.Cast("float32", i * 8 + j) < B[0]:
                A[j] = T.float32(2.0)
        for i, j, k in T.grid(2, 4, 4):
            A[i * 4 + j] = T.float32(3.0)
        for j, k in T.grid(3, 4):
            A[j + 8] = T.float32(3.0)
        for k in range(3):
            A[11] = T.float32(3.0)
        for k in range(2):
            A[12] = T.float32(3.0)
        for i in range(4):
            A[i] = T.float32(0.0)
            A[i] = A[i] + B[0]
            for ki in range(1, 4):
                A[i] = A[i] + B[ki]
            for ko in range(1, 3):
                for ki in range(4):
                    A[i] = A[i] + B[ko * 4 + ki]

    @T.prim_func
    def tiles(a: T.handle, b: T.handle, C: T.Buffer((50, 22), "float32")):
        n = T.int32()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        for io in range((n + 5) // 6):
            if io * 6 < n - 5:
                for k in range(3):
                    for ii in T.unroll(6):
                        A[io * 6 + ii] = A[io * 6 + ii] + T.Cast("float32", k)
            else:
                for k in range(3):
                    for ii in T.unroll(6):
                        if io * 6 + ii < n:
                            A[io * 6 + ii] = A[io * 6 + ii] + T.Cast("float32", k)
        for ij in T.parallel(27):
            if ij // 3 < 8 and ij % 3 < 2:
                for k in range(3):
                    for ii in T.unroll(6):
                        for jj in T.vectorized(8):
                            C[ij // 3 * 6 + ii, ij % 3 * 8 + jj] = C[ij // 3 * 6 + ii, ij % 3 * 8 + jj] + B[0]
            else:
                for k in range(3):
                    for ii in T.unroll(6):
                        for jj in T.vectorized(8):
                            if ij // 3 * 6 + ii < 50 and ij % 3 * 8 + jj < 22:
                                C[ij // 3 * 6 + ii, ij % 3 * 8 + jj] = C[ij // 3 * 6 + ii, ij % 3 * 8 + jj] + B[0]
