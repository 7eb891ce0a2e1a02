# run: --random --size m=5 --size n=3
# run: --random --size m=0 --size n=1
from tvm.script import tir as T


@T.prim_func
def main(a: T.handle, b: T.handle):
    n, m = T.int64(), T.int64()
    A = T.match_buffer(a, (n, m))
    B = T.match_buffer(b, (n, m))
    for i in range(n):
        with T.block("o"):
            vi = T.axis.spatial(n, i)
            r = T.int64()
            e = T.int64()
            A1 = T.match_buffer(A[vi, T.int64(0):m], (m,), offset_factor=1)
            B1 = T.match_buffer(B[vi:vi + T.int64(1), T.int64(0):m], (r, m), elem_offset=e)
            for x in range(m):
                B1[r - T.int64(1), x] = A1[m - x - T.int64(1)] + T.Cast("float32", e * T.int64(100) + r)
