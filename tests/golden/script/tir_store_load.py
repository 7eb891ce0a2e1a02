# run: tenon fmt %s
# Stores and loads: scalars, slices, steps, vectors, augmented assignment, predicates.
@T.prim_func
def f(A: T.Buffer((16, 16), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "int32")):
    A[1, 2] = A[2, 1] + 1.0
    B[0] += A[0, 0]
    B[1] -= T.float32(2)
    B[2] *= B[3]
    C[0] //= 3
    C[1] %= 5
    B[0:4] = B[4:8] + B[8:12]
    B[0:8:2] = B[1:9:2]
    A[0, 0:4] = T.Broadcast(T.float32(1), 4)
    B[T.Ramp(0, 3, 4)] = B[T.Ramp(16, 1, 4)]
    B.vstore([0], B.vload([8], "float32x4"))
    B[T.Ramp(0, 1, 4)] = T.Cast("float32x4", C[T.Ramp(0, 1, 4)])
    B.vstore([T.Ramp(0, 1, 4)], T.Broadcast(T.float32(0), 4), T.Ramp(0, 1, 4) < T.Broadcast(3, 4))
    B[T.Ramp(0, 1, 4)] = B.vload([T.Ramp(4, 1, 4)], "float32x4", T.Ramp(0, 1, 4) < T.Broadcast(3, 4))
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((16, 16), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "int32")):
        A[1, 2] = A[2, 1] + T.float32(1.0)
        B[0] = B[0] + A[0, 0]
        B[1] = B[1] - T.float32(2.0)
        B[2] = B[2] * B[3]
        C[0] = C[0] // 3
        C[1] = C[1] % 5
        B[0:4] = B[4:8] + B[8:12]
        B[T.Ramp(0, 2, 4)] = B[T.Ramp(1, 2, 4)]
        A[0, 0:4] = T.Broadcast(T.float32(1.0), 4)
        B[T.Ramp(0, 3, 4)] = B[16:20]
        B[0:4] = B[8:12]
        B[0:4] = T.Cast("float32x4", C[0:4])
        B.vstore([T.Ramp(0, 1, 4)], T.Broadcast(T.float32(0.0), 4), predicate=T.Ramp(0, 1, 4) < T.Broadcast(3, 4))
        B[0:4] = B.vload([T.Ramp(4, 1, 4)], predicate=T.Ramp(0, 1, 4) < T.Broadcast(3, 4))
