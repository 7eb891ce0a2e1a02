# row: value known while reading
# section: 2c
# does: runs
# same: 2022
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    n = T.meta_var(4)  #<
    if n > 2:  #<
        for i in range(n):
            A[i] = A[i] + 1.0
    else:
        A[0] = T.float32(0)
# --- 2026
from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    n = T.meta_var(4)  #<
    if n > 2:  #<
        for i in range(n):
            A[i] = A[i] + 1.0
    else:
        A[0] = T.float32(0)
