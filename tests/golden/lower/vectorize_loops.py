# run: tenon opt --passes=vectorize_loops %s
# Lanes instead of rounds: plain stores, a condition that differs by lane, a loop inside.
@T.prim_func
def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), n: T.int32):
    for i in T.vectorized(8):
        B[i] = A[i] * T.float32(2) + A[0]
    for i in T.vectorized(8):
        if i < n:
            B[i] = A[i]
    for i in T.vectorized(8):
        if n > 3:
            B[i] = A[i]
    for i in T.vectorized(8):
        for k in range(4):
            B[i] = B[i] + A[k * 8 + i]
    for i in T.vectorized(8):
        B[0] = B[0] + A[i]
    for i in T.vectorized(n):
        B[i] = A[i]
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), n: T.int32):
        B[0:8] = A[0:8] * T.Broadcast(T.float32(2.0), 8) + T.Broadcast(A[0], 8)
        B.vstore([T.Ramp(0, 1, 8)], A[0:8], predicate=T.Ramp(0, 1, 8) < T.Broadcast(n, 8))
        if n > 3:
            B[0:8] = A[0:8]
        for k in range(4):
            B[0:8] = B[0:8] + A[k * 8:k * 8 + 8]
        for i in range(8):
            B[0] = B[0] + A[i]
        for i in range(n):
            B[i] = A[i]
