# row: mutable vector
# section: 2e
# does: runs
# --- 2026
from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((16,), "float32"), B: T.Buffer((4,), "float32")):
    x = A[0:4]  #<
    for i in range(3):
        x += A[i * 4 + 4:i * 4 + 8]  #<
    B[0:4] = x
