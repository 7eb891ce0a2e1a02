# row: layout of a matched buffer
# section: 2c
# does: prints
# same: 2022 2026
# --- 2023
@T.prim_func
def f(a: T.handle, b: T.handle):
    m, n, s = T.int32(), T.int32(), T.int32()
    A = T.match_buffer(a, (m, n), "float32", strides=[s, 1], elem_offset=8, scope="shared", align=64, offset_factor=4)  #<
    B = T.match_buffer(b, (4, 4, 4), "float32", axis_separators=[2])  #<
    for i, j in T.grid(m, n):
        A[i, j] = A[i, j] + B[0, 0, 0]
