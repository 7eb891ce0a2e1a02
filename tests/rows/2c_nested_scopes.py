# row: names hidden in a block
# section: 2c
# does: runs
# same: 2022
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "int32")):
    x = 1
    for i in range(4):
        x = i * 2  #<
        A[i] = x
    A[0] = x
