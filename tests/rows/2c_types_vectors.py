# row: vectors as elements
# section: 2c
# does: runs
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((5,), "float32x4"), B: T.Buffer((5,), "int8x3"), C: T.Buffer((5,), "float32x4")):  #<
    for i in range(5):
        C[i] = A[i] * T.Broadcast(T.float32(2), 4)  #<
        B[i] = T.Cast("int8x3", T.Ramp(i, 1, 3))  #<
# result: B: int8x3[5] 0 1 2 1 2 3 2 3 4 3 4 5 4 5 6
