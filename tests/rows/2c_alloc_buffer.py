# row: buffer of a block
# section: 2c
# does: runs
# same: 2022
# --- 2023
@T.prim_func
def f(A: T.Buffer((8, 8), "float32")):
    for i in range(8):
        with T.block("A"):
            vi = T.axis.spatial(8, i)
            B = T.alloc_buffer((8,), "float32", scope="local")  #<
            for j in range(8):
                B[j] = A[vi, 7 - j]
            for j in range(8):
                A[vi, j] = B[j]
# --- 2026
@T.prim_func(s_tir=True)
def f(A: T.Buffer((8, 8), "float32")):
    for i in range(8):
        with T.sblock("A"):
            vi = T.axis.spatial(8, i)
            B = T.sblock_alloc_buffer((8,), "float32", scope="local")  #<
            for j in range(8):
                B[j] = A[vi, 7 - j]
            for j in range(8):
                A[vi, j] = B[j]
