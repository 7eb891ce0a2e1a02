# run: --random --size n=0
# run: --random --size n=1
# run: --random --size n=33
from tvm.script import tir as T


@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (n,))
    for io in T.parallel((n + 7) // 8):
        for ii in T.vectorized(8):
            with T.block("c"):
                vi = T.axis.spatial(n, io * 8 + ii)
                T.where(io * 8 + ii < n)
                B[vi] = T.if_then_else(vi + 1 < n, A[vi + 1], T.float32(-1)) + A[vi]
