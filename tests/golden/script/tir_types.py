# run: tenon fmt %s
# Vectors as element types.
@T.prim_func
def f(A: T.Buffer((8,), "float32x4"), B: T.Buffer((8,), "int8x16"), D: T.Buffer((8,), "uint8")):
    A[0] = T.Broadcast(T.float32(1), 4)
    A[1] = A[2] + A[3]
    B[0] = B[1]
    D[0] = T.uint8(255)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8,), "float32x4"), B: T.Buffer((8,), "int8x16"), D: T.Buffer((8,), "uint8")):
        A[0] = T.Broadcast(T.float32(1.0), 4)
        A[1] = A[2] + A[3]
        B[0] = B[1]
        D[0] = T.uint8(255)
