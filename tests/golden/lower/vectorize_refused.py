# run: tenon opt --passes=vectorize_loops %s
# What must happen once for each lane stays in a loop: a call with an effect in the bounds of a loop, as a value that is
# stored, as a statement; a while; two looks of other types at one memory. A loop whose bounds have no effect is none of these.
@T.prim_func
def f(A: T.Buffer((64,), "float32"), n: T.int32):
    for i in T.vectorized(8):
        for k in range(T.call_extern("int32", "count")):
            A[i] = A[i] + T.float32(1)
    for i in T.vectorized(8):
        A[i] = T.call_extern("float32", "next")
    for i in T.vectorized(8):
        A[i] = T.float32(2)
        T.evaluate(T.call_extern("int32", "tell"))
    for i in T.vectorized(8):
        while A[i] > T.float32(0):
            A[i] = A[i] - T.float32(1)
        A[i] = T.float32(2)
    H = T.decl_buffer((128,), "float16", data=A.data)
    for i in T.vectorized(8):
        A[i] = T.Cast("float32", H[i])
    for i in T.vectorized(8):
        for k in range(n):
            A[i] = A[i] + T.float32(1)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((64,), "float32"), n: T.int32):
        for i, k in T.grid(8, T.call_extern("int32", "count")):
            A[i] = A[i] + T.float32(1.0)
        for i in range(8):
            A[i] = T.call_extern("float32", "next")
        for i in range(8):
            A[i] = T.float32(2.0)
            T.call_extern("int32", "tell")
        for i in range(8):
            while A[i] > T.float32(0.0):
                A[i] = A[i] - T.float32(1.0)
            A[i] = T.float32(2.0)
        H = T.decl_buffer((128,), "float16", data=A.data)
        for i in range(8):
            A[i] = T.Cast("float32", H[i])
        for k in range(n):
            A[0:8] = A[0:8] + T.Broadcast(T.float32(1.0), 8)
