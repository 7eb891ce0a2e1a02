# row: computed sizes in the signature
# section: 2c
# does: prints, as sizes by name
# --- 2026
from tvm.script import tirx as T

@T.prim_func
def f[m: T.int64](A: T.Buffer(("n + 1", n)), B: T.Buffer(("n", m))):  #<
    for i, j in T.grid(n, m):
        B[i, j] = A[i + 1, i]
