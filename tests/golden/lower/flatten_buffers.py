# run: tenon opt --passes=flatten_buffers %s
# One index for each access; int64 where an extent is one.
@T.prim_func
def f(A: T.Buffer((8, 4, 2), "float32"), b: T.handle, c: T.handle):
    n = T.int64()
    s = T.int32()
    B = T.match_buffer(b, (n, 4))
    C = T.match_buffer(c, (8, 8), strides=[s, 1], elem_offset=3)
    D = T.decl_buffer((2, 2), data=A.data)
    for i, j in T.grid(8, 4):
        A[i, j, 1] = T.float32(0)
        B[i, j] = A[i, j, 0] + D[1, 1]
        C[i, j] = T.float32(1)
    A[0, 1, 0:2] = T.Broadcast(T.float32(1), 2)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8, 4, 2), "float32"), b: T.handle, c: T.handle):
        n = T.int64()
        B = T.match_buffer(b, (n, 4))
        s = T.int32()
        C = T.match_buffer(c, (8, 8), strides=(s, 1), elem_offset=3)
        A_1 = T.decl_buffer((64,), data=A.data)
        B_1 = T.decl_buffer((n * T.int64(4),), data=B.data)
        C_1 = T.decl_buffer((T.max(T.Cast("int64", s) * T.int64(7) + T.int64(11), T.int64(0)),), data=C.data)
        D = T.decl_buffer((4,), data=A.data)
        for i, j in T.grid(8, 4):
            A_1[i * 8 + j * 2 + 1] = T.float32(0.0)
            B_1[T.Cast("int64", i) * T.int64(4) + T.Cast("int64", j)] = A_1[i * 8 + j * 2] + D[3]
            C_1[T.int64(3) + T.Cast("int64", i) * T.Cast("int64", s) + T.Cast("int64", j)] = T.float32(1.0)
        A_1[T.Broadcast(2, 2) + T.Ramp(0, 1, 2)] = T.Broadcast(T.float32(1.0), 2)
