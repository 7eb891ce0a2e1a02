# row: predicate
# section: 2c
# does: runs
# same: 2022
# --- 2023
@T.prim_func
def f(A: T.Buffer((30,), "float32")):
    for i, j in T.grid(8, 4):
        with T.block("A"):
            vi = T.axis.spatial(30, i * 4 + j)
            T.where(i * 4 + j < 30)  #<
            A[vi] = A[vi] + 1.0
# --- 2026
@T.prim_func(s_tir=True)
def f(A: T.Buffer((30,), "float32")):
    for i, j in T.grid(8, 4):
        with T.sblock("A"):
            vi = T.axis.spatial(30, i * 4 + j)
            T.where(i * 4 + j < 30)  #<
            A[vi] = A[vi] + 1.0
