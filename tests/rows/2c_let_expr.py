# row: value by name in an expression
# section: 2c
# does: runs
# same: 2026
# --- 2022
@T.prim_func
def f(A: T.Buffer[(4,), "int32"]):
    x = T.var("int32")
    for i in range(4):
        A[i] = T.let(x, i + 1, x * x)  #<
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "int32")):
    for i in range(4):
        A[i] = T.Let(x * x, where={x: i + 1})  #<
