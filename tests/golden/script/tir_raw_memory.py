# run: tenon fmt %s
# allocate, decl_buffer, allocate_const.
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    p = T.allocate([128], "float32", "global")
    B = T.decl_buffer((8, 16), data=p)
    C = T.decl_buffer((32,), "int32", data=p, elem_offset=4)
    q = T.allocate([4], "float32x4", "local")
    D = T.decl_buffer((16,), data=q, scope="local")
    k = T.allocate_const([1.0, 2.5], "float32", [2])
    K = T.decl_buffer((2,), data=k)
    B[0, 0] = A[0]
    C[0] = 3
    D[0] = T.float32(1)
    A[1] = B[0, 0] + K[1]
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((16,), "float32")):
        p = T.allocate([128], "float32", "global")
        B = T.decl_buffer((8, 16), data=p)
        C = T.decl_buffer((32,), "int32", data=p, elem_offset=4)
        q = T.allocate([4], "float32x4", "local")
        D = T.decl_buffer((16,), data=q, scope="local")
        k = T.allocate_const([1.0, 2.5], "float32", [2])
        K = T.decl_buffer((2,), data=k)
        B[0, 0] = A[0]
        C[0] = 3
        D[0] = T.float32(1.0)
        A[1] = B[0, 0] + K[1]
