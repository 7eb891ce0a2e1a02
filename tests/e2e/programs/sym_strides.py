# run: --random --size m=3 --size n=5
# run: --random --size m=0 --size n=5
from tvm.script import tir as T


@T.prim_func
def main(a: T.handle, c: T.handle):
    m, n = T.int32(), T.int32()
    s0, s1, o = T.int32(), T.int32(), T.int32()
    A = T.match_buffer(a, (m, n), "float32", strides=[s0, s1], elem_offset=o)
    C = T.match_buffer(c, (n, m), "float32")
    for i, j in T.grid(m, n):
        with T.block("t"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vj, vi] = A[vi, vj] + T.Cast("float32", s0 * 100 + s1 * 10 + o)
