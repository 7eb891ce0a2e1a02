# row: several sizes
# section: 2c
# does: runs
# args: --size m=3 --size n=2
# same: 2022 2026
# --- 2023
@T.prim_func
def f(a: T.handle, b: T.handle):
    m, n = T.int32(), T.int32()  #<
    A = T.match_buffer(a, (m, n))
    B = T.match_buffer(b, (n, m))
    for i, j in T.grid(m, n):
        B[j, i] = A[i, j]
