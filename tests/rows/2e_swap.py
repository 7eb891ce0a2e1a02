# row: assigning several
# section: 2e
# does: runs
# --- 2026
from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((10,), "int32")):
    a, b = 0, 1  #<
    for i in range(10):
        A[i] = a
        a, b = b, a + b  #<
# result: A: int32[10] 0 1 1 2 3 5 8 13 21 34
