# row: serial loop
# section: 2c
# does: runs
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((8,), "float32")):
    for i in range(8):  #<
        A[i] = T.float32(i)
    for i in T.serial(2, 8, annotations={"k": 1}):  #<
        A[i] = A[i] * 2.0
# result: A: float32[8] 0 1 4 6 8 10 12 14
