# row: a name for a value
# section: 2e
# does: runs
# same: 2022
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        x = A[i] * 2.0  #<
        y: T.float32 = x + 1.0  #<
        B[i] = x * y
# --- 2026
@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        x: T.let = A[i] * 2.0  #<
        y: T.let[T.float32] = x + 1.0  #<
        B[i] = x * y
