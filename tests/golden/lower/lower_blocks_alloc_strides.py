# run: tenon opt --passes=lower_blocks %s
# Memory has room for columns one after the other, and for what lies before the first element.

@T.prim_func
def f(C: T.Buffer((4, 16), "float32")):
    A = T.alloc_buffer((4, 16), "float32", strides=(1, 4))
    B = T.alloc_buffer((4, 16), "float32", elem_offset=5)
    for i, j in T.grid(4, 16):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi, vj] = T.float32(1)
            B[vi, vj] = A[vi, vj]
            C[vi, vj] = B[vi, vj]
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(C: T.Buffer((4, 16), "float32")):
        A = T.allocate([T.int64(64)], "float32", "global")
        A_1 = T.decl_buffer((4, 16), data=A, strides=(1, 4))
        B = T.allocate([T.int64(69)], "float32", "global")
        B_1 = T.decl_buffer((4, 16), data=B, elem_offset=5)
        for i, j in T.grid(4, 16):
            A_1[i, j] = T.float32(1.0)
            B_1[i, j] = A_1[i, j]
            C[i, j] = B_1[i, j]
