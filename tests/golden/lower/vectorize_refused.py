# run: tenon opt --passes=vectorize_loops %s
# What has no vector form stays a loop: a loop inside whose bounds have an effect, a while, a store of a call with an effect,
# two looks of other types at one memory; a statement after one that cannot run as lanes does not help it.
@T.prim_func
def f(A: T.Buffer((64,), "float32"), n: T.int32):
    for i in T.vectorized(8):
        for k in range(T.call_extern("int32", "count")):
            A[k * 8 + i] = T.float32(1)
    for i in T.vectorized(8):
        while A[i] > T.float32(0):
            A[i] = A[i] - T.float32(1)
        A[i] = T.float32(2)
    for i in T.vectorized(8):
        A[i] = T.call_extern("float32", "next", i)
    H = T.decl_buffer((128,), "float16", data=A.data)
    for i in T.vectorized(8):
        A[i] = T.Cast("float32", H[i])
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((64,), "float32"), n: T.int32):
        for i, k in T.grid(8, T.call_extern("int32", "count")):
            A[k * 8 + i] = T.float32(1.0)
        for i in range(8):
            while A[i] > T.float32(0.0):
                A[i] = A[i] - T.float32(1.0)
            A[i] = T.float32(2.0)
        for i in range(8):
            A[i] = T.call_extern("float32", "next", i)
        H = T.decl_buffer((128,), "float16", data=A.data)
        for i in range(8):
            A[i] = T.Cast("float32", H[i])
