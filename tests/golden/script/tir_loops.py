# run: tenon fmt %s
# Every kind of loop, with and without start and annotations.
@T.prim_func
def f(A: T.Buffer((64,), "float32"), n: T.int32):
    for i in range(8):
        A[i] = T.float32(1)
    for i in T.serial(8):
        A[i] = T.float32(2)
    for i in range(2, 8):
        A[i] = T.float32(3)
    for i in T.serial(2, n):
        A[i] = T.float32(4)
    for i in T.serial(2, 8, annotations={"pragma": 1, "name": "x"}):
        A[i] = T.float32(5)
    for i in T.parallel(n):
        A[i] = T.float32(6)
    for i in T.parallel(4, 16):
        A[i] = T.float32(7)
    for i in T.vectorized(4):
        A[i] = T.float32(8)
    for i in T.unroll(n):
        A[i] = T.float32(9)
    for i in T.unroll(4, annotations={"k": 1}):
        A[i] = T.float32(10)
    for i in T.thread_binding(32, thread="threadIdx.x"):
        A[i] = T.float32(11)
    for i in T.thread_binding(0, 32, thread="blockIdx.x", annotations={"k": 1}):
        A[i] = T.float32(12)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((64,), "float32"), n: T.int32):
        for i in range(8):
            A[i] = T.float32(1.0)
        for i in range(8):
            A[i] = T.float32(2.0)
        for i in range(2, 8):
            A[i] = T.float32(3.0)
        for i in range(2, 2 + (n - 2)):
            A[i] = T.float32(4.0)
        for i in T.serial(2, 8, annotations={"pragma": 1, "name": "x"}):
            A[i] = T.float32(5.0)
        for i in T.parallel(n):
            A[i] = T.float32(6.0)
        for i in T.parallel(4, 16):
            A[i] = T.float32(7.0)
        for i in T.vectorized(4):
            A[i] = T.float32(8.0)
        for i in T.unroll(n):
            A[i] = T.float32(9.0)
        for i in T.unroll(4, annotations={"k": 1}):
            A[i] = T.float32(10.0)
        for i in T.thread_binding(32, thread="threadIdx.x"):
            A[i] = T.float32(11.0)
        for i in T.thread_binding(32, thread="blockIdx.x", annotations={"k": 1}):
            A[i] = T.float32(12.0)
