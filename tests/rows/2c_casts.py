# row: conversions
# section: 2c
# does: runs
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "int32"), C: T.Buffer((4,), "uint32")):
    for i in range(4):
        B[i] = T.Cast("int32", A[i] * 10.0)  #<
        A[i] = T.cast(B[i], "float32")  #<
        C[i] = T.reinterpret("uint32", A[i])  #<
