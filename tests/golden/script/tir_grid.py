# run: tenon fmt %s
# Nests: fused where the extents do not depend on outer loops; a loop beside another statement ends the nest.
@T.prim_func
def f(A: T.Buffer((8, 8, 8), "float32")):
    for i, j, k in T.grid(8, 8, 8):
        A[i, j, k] = T.float32(0)
    for i in range(8):
        for j in range(8):
            A[i, j, 0] = T.float32(1)
    for i in range(8):
        for j in range(i + 1):
            A[i, j, 0] = T.float32(2)
    for i in range(8):
        A[i, 0, 0] = T.float32(3)
        for j in range(8):
            A[i, j, 0] = T.float32(4)
    for i in T.serial(1, 8):
        for j in range(8):
            A[i, j, 0] = T.float32(5)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8, 8, 8), "float32")):
        for i, j, k in T.grid(8, 8, 8):
            A[i, j, k] = T.float32(0.0)
        for i, j in T.grid(8, 8):
            A[i, j, 0] = T.float32(1.0)
        for i in range(8):
            for j in range(i + 1):
                A[i, j, 0] = T.float32(2.0)
        for i in range(8):
            A[i, 0, 0] = T.float32(3.0)
            for j in range(8):
                A[i, j, 0] = T.float32(4.0)
        for i in range(1, 8):
            for j in range(8):
                A[i, j, 0] = T.float32(5.0)
