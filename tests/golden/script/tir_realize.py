# run: tenon fmt %s
# T.realize gives memory to a buffer that was declared without any; the region may begin anywhere.
@T.prim_func
def f(A: T.Buffer((16, 8), "float32"), n: T.int32):
    B = T.Buffer((16, 8), "float32")
    C = T.buffer_decl((n, 8), "int32")
    with T.realize(B[0:16, 0:8], "global"):
        B[3, 4] = A[0, 0]
        A[1, 1] = B[3, 4]
        for i in range(4):
            with T.realize(C[i * 2:i * 2 + 2, 0:8], "local", n > 4):
                C[i * 2, 1] = 4
                A[i, 2] = T.Cast("float32", C[i * 2, 1])
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((16, 8), "float32"), n: T.int32):
        B = T.allocate([16, 8], "float32", "global")
        B_1 = T.decl_buffer((16, 8), data=B)
        B_1[3, 4] = A[0, 0]
        A[1, 1] = B_1[3, 4]
        for i in range(4):
            C = T.allocate([2, 8], "int32", "local", condition=n > 4)
            C_1 = T.decl_buffer((n, 8), "int32", data=C, strides=(8, 1), elem_offset=0 - i * 2 * 8, scope="local")
            C_1[i * 2, 1] = 4
            A[i, 2] = T.Cast("float32", C_1[i * 2, 1])
