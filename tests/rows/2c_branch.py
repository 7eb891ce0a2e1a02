# row: branch
# section: 2c
# does: runs
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((8,), "float32")):
    for i in range(8):
        if i % 2 == 0:  #<
            A[i] = T.float32(0)
        elif i > 4:  #<
            A[i] = T.float32(1)
        else:  #<
            A[i] = A[i] + 1.0
