# run: tenon opt --passes=vectorize_loops,simplify %s
# A condition that differs by lane masks what a lane that is off must not do: store, read outside a buffer, divide by zero.
@T.prim_func
def f(A: T.Buffer((30,), "int32"), B: T.Buffer((32,), "int32"), k: T.int32):
    for i in range(4):
        for j in T.vectorized(8):
            if i * 8 + j < 30:
                B[i * 8 + j] = A[i * 8 + j]
            else:
                B[i * 8 + j] = A[0]
    for j in T.vectorized(8):
        if B[j] != 0:
            B[j] = 100 // B[j] + A[k]
    for j in T.vectorized(8):
        B[j] = T.if_then_else(j < k, A[j + k], 0)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((30,), "int32"), B: T.Buffer((32,), "int32"), k: T.int32):
        for i in range(4):
            B.vstore([T.Ramp(i * 8, 1, 8)], A.vload([T.Ramp(i * 8, 1, 8)], predicate=T.Ramp(i * 8, 1, 8) < T.Broadcast(30, 8)), predicate=T.Ramp(i * 8, 1, 8) < T.Broadcast(30, 8))
            B.vstore([T.Ramp(i * 8, 1, 8)], T.Broadcast(A[0], 8), predicate=T.Broadcast(30, 8) <= T.Ramp(i * 8, 1, 8))
        mask: T.boolx8 = B[0:8] != T.Broadcast(0, 8)
        B.vstore([T.Ramp(0, 1, 8)], A.vload([T.Broadcast(k, 8)], predicate=mask) + T.Broadcast(100, 8) // T.Select(mask, B[0:8], T.Broadcast(1, 8)), predicate=mask)
        B[0:8] = T.Select(T.Ramp(0, 1, 8) < T.Broadcast(k, 8), A.vload([T.Ramp(k, 1, 8)], predicate=T.Ramp(0, 1, 8) < T.Broadcast(k, 8)), T.Broadcast(0, 8))
