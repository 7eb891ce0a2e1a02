# run: tenon opt --passes=unroll_loops %s
# Copies of the body, with the variable a number; loops without a constant extent stay.
@T.prim_func
def f(A: T.Buffer((64,), "float32"), n: T.int32):
    for i in T.unroll(3):
        A[i * 2 + 1] = A[i] + T.float32(1)
    for i in T.unroll(1, 3):
        for j in T.unroll(2):
            A[i * 4 + j] = T.float32(0)
    for i in T.unroll(n):
        A[i] = T.float32(2)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((64,), "float32"), n: T.int32):
        A[1] = A[0] + T.float32(1.0)
        A[3] = A[1] + T.float32(1.0)
        A[5] = A[2] + T.float32(1.0)
        A[4] = T.float32(0.0)
        A[5] = T.float32(0.0)
        A[8] = T.float32(0.0)
        A[9] = T.float32(0.0)
        for i in T.unroll(n):
            A[i] = T.float32(2.0)
