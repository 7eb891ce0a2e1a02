# run: --random --size n=0
# run: --random --size n=17
from tvm.script import tir as T


@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int64()
    A = T.match_buffer(a, (n,), "int16")
    B = T.match_buffer(b, (n,), "int32")
    for i in T.vectorized(n):
        B[i] = T.Cast("int32", A[i]) * T.Cast("int32", i)
