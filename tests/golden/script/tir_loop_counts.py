# run: tenon fmt %s
# Rounds: of unsigned bounds, whose difference may not go below 0; of a step known at run time, which is
# asked for when it runs.
@T.prim_func
def f(A: T.Buffer((64,), "float32"), n: T.int32, a: T.uint32, b: T.uint32):
    for i in range(T.uint32(5), T.uint32(3)):
        A[i] = T.float32(1)
    for i in range(T.uint32(3), T.uint32(5)):
        A[i] = T.float32(2)
    for i in range(a, b):
        A[i] = T.float32(3)
    for i in range(0, 64, n):
        A[i] = T.float32(4)
    for i in T.serial(T.uint8(200), T.uint8(100), step=7):
        A[i] = T.float32(5)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((64,), "float32"), n: T.int32, a: T.uint32, b: T.uint32):
        for i in range(T.uint32(5), T.uint32(5)):
            A[i] = T.float32(1.0)
        for i in range(T.uint32(3), T.uint32(5)):
            A[i] = T.float32(2.0)
        for i in range(a, a + (T.max(a, b) - a)):
            A[i] = T.float32(3.0)
        assert 0 < n, "the step of a loop is not positive"
        for i in range((64 + (n - 1)) // n):
            i_1: T.int32 = i * n
            A[i_1] = T.float32(4.0)
        for i in range(T.uint8(0)):
            i_1: T.uint8 = T.uint8(200) + i * T.uint8(7)
            A[i_1] = T.float32(5.0)
