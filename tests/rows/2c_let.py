# row: value by name
# section: 2c
# does: runs
# --- 2022
@T.prim_func
def f(A: T.Buffer[(4,), "float32"]):
    for i in range(4):
        x = A[i] * 2.0  #<
        y: T.float32 = x + 1.0
        with T.LetStmt(y * y) as z:
            A[i] = x + z
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    for i in range(4):
        x = A[i] * 2.0  #<
        y: T.float32 = x + 1.0  #<
        with T.LetStmt(y * y) as z:  #<
            A[i] = x + z
# --- 2026
@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    for i in range(4):
        x: T.let = A[i] * 2.0  #<
        y: T.let[T.float32] = x + 1.0  #<
        z = T.bind(y * y)  #<
        A[i] = x + z
