# row: T.LetStmt, T.bind
# section: 2e
# does: runs
# same: 2022
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.LetStmt(A[i] * 2.0) as x:  #<
            B[i] = x * x
# --- 2026
@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        x = T.bind(A[i] * 2.0)  #<
        B[i] = x * x
