# row: decorator
# section: 2e
# does: runs, without s_tir=True too
# same: 2022
# --- 2023
@T.prim_func  #<
def f(A: T.Buffer((4,), "float32")):
    for i in range(4):
        A[i] = A[i] + 1.0
# --- 2026
@T.prim_func(s_tir=True)  #<
def f(A: T.Buffer((4,), "float32")):
    for i in range(4):
        A[i] = A[i] + 1.0
