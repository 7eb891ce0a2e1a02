# row: sizes in the signature
# section: 2c
# does: runs, prints as sizes by name
# args: --size n=4 --size m=3
# --- 2026
from tvm.script import tirx as T

@T.prim_func
def f[m: T.int64](A: T.Buffer(("n", n)), B: T.Buffer(("n", m))):  #<
    for i, j in T.grid(n, m):
        B[i, j] = A[n - 1 - i, i]
