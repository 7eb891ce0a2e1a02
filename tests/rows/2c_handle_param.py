# row: handle parameter and its buffer
# section: 2c
# does: runs
# same: 2022 2026
# --- 2023
@T.prim_func
def f(a: T.handle, b: T.handle):  #<
    A = T.match_buffer(a, (4, 4), "float32", strides=[4, 1], align=64, offset_factor=1)  #<
    B = T.match_buffer(b, (4, 4))  #<
    for i, j in T.grid(4, 4):
        B[j, i] = A[i, j]
