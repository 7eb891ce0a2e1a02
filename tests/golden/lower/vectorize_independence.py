# run: tenon opt --passes=vectorize_loops,simplify %s
# Lanes run together only where no two touch one element of what the loop writes.
@T.prim_func
def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), I: T.Buffer((8,), "int32"), n: T.int32):
    for i in T.vectorized(8):
        A[i] = A[i + 8]
    for i in T.vectorized(8):
        A[i] = A[i + 1]
    for i in T.vectorized(8):
        A[i * 2] = A[i * 2 + 1]
    for i in T.vectorized(8):
        for k in range(4):
            A[k * 8 + i] = A[k * 8 + i] + B[i]
    for i in T.vectorized(8):
        for k in range(4):
            A[k * 4 + i] = A[k * 4 + i] + B[i]
    for i in T.vectorized(8):
        B[i] = A[I[i]]
    for i in T.vectorized(8):
        A[I[i]] = B[i]
    for i in T.vectorized(8):
        x = A[n * 8 + i] * T.float32(2)
        A[n * 8 + i] = x
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), I_: T.Buffer((8,), "int32"), n: T.int32):
        A[0:8] = A[8:16]
        for i in range(8):
            A[i] = A[i + 1]
        A[T.Ramp(0, 2, 8)] = A[T.Ramp(1, 2, 8)]
        for k in range(4):
            A[k * 8:k * 8 + 8] = A[k * 8:k * 8 + 8] + B[0:8]
        for i, k in T.grid(8, 4):
            A[i + k * 4] = A[i + k * 4] + B[i]
        B[0:8] = A[I_[0:8]]
        for i in range(8):
            A[I_[i]] = B[i]
        x: T.float32x8 = A[n * 8:n * 8 + 8] * T.Broadcast(T.float32(2.0), 8)
        A[n * 8:n * 8 + 8] = x
