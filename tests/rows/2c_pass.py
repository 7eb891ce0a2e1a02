# row: nothing
# section: 2c
# does: runs
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    for i in range(4):
        pass  #<
    A[0] = T.float32(1)
