# row: vectors
# section: 2c
# does: runs
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    B[T.Ramp(0, 2, 8)] = A[T.Ramp(0, 1, 8)]  #<
    B[T.Ramp(1, 2, 8)] = T.Broadcast(T.float32(1), 8)  #<
    B[0:4] = T.Shuffle([A[0:4]], [3, 2, 1, 0])  #<
