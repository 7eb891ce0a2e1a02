# run: --random --size m=3 --size n=5
# run: --random --size m=0 --size n=5
from tvm.script import tir as T


@T.prim_func
def main(a: T.handle, b: T.handle):
    n, m = T.int32(), T.int32()
    A = T.match_buffer(a, (n, m))
    B = T.match_buffer(b, (n, m))
    C = T.alloc_buffer((m, n), "float32")
    p = T.allocate([n * m + 1], "float32", "global")
    D = T.decl_buffer((n * m + 1,), data=p)
    for i, j in T.grid(n, m):
        with T.block("c"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vj, vi] = A[vi, vj]
            D[vi * m + vj] = A[vi, vj] + T.float32(1)
    D[n * m] = T.float32(3)
    for i, j in T.grid(n, m):
        B[i, j] = C[j, i] * D[i * m + j] + D[n * m]
