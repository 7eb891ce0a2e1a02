# row: buffer parameter
# section: 2c
# does: runs
# --- 2022
@T.prim_func
def f(A: T.Buffer[(4, 2), "float32"], B: T.Buffer[8, "float32"]) -> None:  #<
    for i, j in T.grid(4, 2):
        B[i * 2 + j] = A[i, j]
# --- 2023
@T.prim_func
def f(A: T.Buffer((4, 2), "float32"), B: T.Buffer(8, "float32")):  #<
    for i, j in T.grid(4, 2):
        B[i * 2 + j] = A[i, j]
# --- 2026
@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 2), "float32"), B: T.Buffer((8,))):  #<
    for i, j in T.grid(4, 2):
        B[i * 2 + j] = A[i, j]
