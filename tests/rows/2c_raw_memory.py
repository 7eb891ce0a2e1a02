# row: memory
# section: 2c
# does: runs
# --- 2022
@T.prim_func
def f(A: T.Buffer[(8, 16), "float32"]):
    p = T.allocate([128], "float32", "global")  #<
    B = T.buffer_decl((8, 16), "float32", data=p)  #<
    for i, j in T.grid(8, 16):
        B[i, j] = A[7 - i, j]
    for i, j in T.grid(8, 16):
        A[i, j] = B[i, j]
# --- 2023
@T.prim_func
def f(A: T.Buffer((8, 16), "float32")):
    p = T.allocate([128], "float32", "global")  #<
    B = T.decl_buffer((8, 16), data=p)  #<
    for i, j in T.grid(8, 16):
        B[i, j] = A[7 - i, j]
    for i, j in T.grid(8, 16):
        A[i, j] = B[i, j]
# --- 2026
from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((8, 16), "float32")):
    with T.allocate([128], "float32", "global") as p:  #<
        B = T.decl_buffer((8, 16), data=p)  #<
        for i, j in T.grid(8, 16):
            B[i, j] = A[7 - i, j]
        for i, j in T.grid(8, 16):
            A[i, j] = B[i, j]
