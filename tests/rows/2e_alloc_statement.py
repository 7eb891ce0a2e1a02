# row: memory as a statement
# section: 2e
# does: runs
# same: 2022
# --- 2023
@T.prim_func
def f(A: T.Buffer((8,), "float32")):
    for i in range(2):
        B = T.decl_buffer((4,), "float32")  #<
        for j in range(4):
            B[j] = A[i * 4 + j]
        for j in range(4):
            A[i * 4 + j] = B[3 - j] + 1.0
# --- 2026
from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((8,), "float32")):
    for i in range(2):
        B = T.alloc_buffer((4,), "float32")  #<
        for j in range(4):
            B[j] = A[i * 4 + j]
        for j in range(4):
            A[i * 4 + j] = B[3 - j] + 1.0
