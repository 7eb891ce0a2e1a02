# row: nest
# section: 2c
# does: runs
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((2, 3, 4), "int32")):
    for i, j, k in T.grid(2, 3, 4):  #<
        A[i, j, k] = i * 100 + j * 10 + k
