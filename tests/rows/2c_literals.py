# row: literals
# section: 2c
# does: runs
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "float32"), B: T.Buffer((2,), "int64"), C: T.Buffer((1,), "bool"), D: T.Buffer((1,), "float16")):
    A[0] = T.float32(0)  #<
    A[1] = T.float32("inf")  #<
    A[2] = 1e-5  #<
    A[3] = T.float32(1.0) / T.float32(3)
    B[0] = T.int64(3)  #<
    B[1] = 4
    C[0] = T.bool(True)  #<
    D[0] = T.float16(1.0)  #<
