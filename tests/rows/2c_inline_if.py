# row: choice in an expression
# section: 2c
# does: runs
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        B[i] = T.Select(A[i] > 0.0, A[i], T.float32(0))  #<
        B[i] = B[i] + T.if_then_else(i > 0, A[T.max(i - 1, 0)], T.float32(1))  #<
