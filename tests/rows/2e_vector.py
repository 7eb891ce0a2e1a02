# row: local vector
# section: 2e
# does: runs
# same: 2022
# --- 2023
@T.prim_func
def f(A: T.Buffer((8,), "float32")):
    for i in range(2):
        x = T.decl_buffer((4,), "float32", scope="local")  #<
        for j in range(4):
            x[j] = A[i * 4 + 3 - j]
        for j in range(4):
            A[i * 4 + j] = x[j]
# --- 2026
from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((8,), "float32")):
    for i in range(2):
        x: T.float32[4]  #<
        for j in range(4):
            x[j] = A[i * 4 + 3 - j]
        for j in range(4):
            A[i * 4 + j] = x[j]
