# row: store and load
# section: 2c
# does: runs
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(4):
        B[i] = A[i] + 1.0  #<
        B[i] += A[i + 1]  #<
    B[4:8] = A[4:8] * T.Broadcast(T.float32(2), 4)  #<
    B.vstore([8], A.vload([8], "float32x4"))  #<
    B[12:16:1] = A[T.Ramp(12, 1, 4)]  #<
