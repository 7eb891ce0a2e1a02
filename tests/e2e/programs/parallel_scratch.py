# run: --random --size n=1
# run: --random --size n=9
from tvm.script import tir as T


@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int64()
    A = T.match_buffer(a, (n, n), "float64")
    B = T.match_buffer(b, (n, n), "float64")
    for i in T.parallel(n):
        p = T.allocate([n], "float64", "global")
        P = T.decl_buffer((n,), "float64", data=p)
        for j in range(n):
            P[j] = A[i, j] * T.float64(2)
        for j in T.parallel(n):
            B[j, i] = P[n - j - T.int64(1)]
