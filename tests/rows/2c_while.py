# row: while
# section: 2c
# does: runs
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((8,), "int32"), n: T.Buffer((1,), "int32")):
    n[0] = 0
    while n[0] < 8:  #<
        A[n[0]] = n[0] * n[0]
        n[0] = n[0] + 1
