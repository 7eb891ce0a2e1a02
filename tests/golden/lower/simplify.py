# run: tenon opt --passes=simplify %s
# Index arithmetic under what the loops say, branches that are decided, loops of one round and of none.
@T.prim_func
def f(A: T.Buffer((64,), "float32"), n: T.int32):
    for i, j in T.grid(8, 4):
        A[(i * 4 + j) // 4 * 4 + (i * 4 + j) % 4] = T.float32(0)
    for i in range(8):
        if i < 8:
            A[i] = T.float32(1)
        if i >= 8:
            A[i] = T.float32(2)
    for i in range(1):
        A[i + 3] = T.float32(3)
    for i in range(0):
        A[i] = T.float32(4)
    for i in range(8):
        if i < n:
            if i < n + 1:
                A[i] = T.float32(5)
    A[0] = A[1] * T.float32(1) + T.float32(0)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((64,), "float32"), n: T.int32):
        for i, j in T.grid(8, 4):
            A[i * 4 + j] = T.float32(0.0)
        for i in range(8):
            A[i] = T.float32(1.0)
        A[3] = T.float32(3.0)
        for i in range(8):
            if i < n:
                A[i] = T.float32(5.0)
        A[0] = A[1] * T.float32(1.0) + T.float32(0.0)
