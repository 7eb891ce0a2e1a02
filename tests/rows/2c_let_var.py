# row: value of a variable
# section: 2c
# does: runs
# --- 2022
@T.prim_func
def f(A: T.Buffer[(4,), "float32"]):
    x = T.var("float32")
    for i in range(4):
        with T.let(x, A[i] * 2.0):  #<
            A[i] = x + x
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    x = T.float32()
    for i in range(4):
        with T.LetStmt(A[i] * 2.0, var=x):  #<
            A[i] = x + x
