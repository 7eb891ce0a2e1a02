# row: memory for a region
# section: 2c
# does: runs, as an allocation and a view
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((16, 4), "int32")):
    B = T.Buffer((16, 4), "int32")  #<
    for i in range(4):
        with T.realize(B[i * 4:i * 4 + 4, 0:4], "local"):  #<
            for j, k in T.grid(4, 4):
                B[i * 4 + j, k] = i * 16 + j * 4 + k
            A[i, 3] = B[i * 4 + 3, 2]
# result: A: int32[16, 4] 0 0 0 14 0 0 0 30 0 0 0 46 0 0 0 62 ...
