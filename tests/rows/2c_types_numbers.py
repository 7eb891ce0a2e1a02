# row: number types
# section: 2c
# does: runs
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((8,), "int8"), B: T.Buffer((8,), "uint16"), C: T.Buffer((8,), "int32"), D: T.Buffer((8,), "uint64"), E: T.Buffer((8,), "bool"), F: T.Buffer((8,), "float16"), G: T.Buffer((8,), "bfloat16"), H: T.Buffer((8,), "float64")):  #<
    for i in range(8):
        B[i] = T.Cast("uint16", A[i])  #<
        C[i] = A[i] * T.int8(100)
        D[i] = T.Cast("uint64", H[i] * T.float64(1e20))  #<
        E[i] = F[i] < T.float16(0.5)  #<
        G[i] = T.Cast("bfloat16", F[i]) + T.bfloat16(1.0)  #<
