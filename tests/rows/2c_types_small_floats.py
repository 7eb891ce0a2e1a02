# row: small floats, as storage
# section: 2c
# does: runs, cast to compute
# same: 2022 2026
# --- 2023
@T.prim_func
def f(X: T.Buffer((6,), "float32"), A: T.Buffer((6,), "float8_e4m3fn"), B: T.Buffer((6,), "float8_e5m2"), C: T.Buffer((6,), "float6_e3m2fn"), D: T.Buffer((6,), "float4_e2m1fn"), Y: T.Buffer((6,), "float32")):  #<
    for i in range(6):
        A[i] = T.Cast("float8_e4m3fn", X[i] * T.float32(1000.0))  #<
        B[i] = T.Cast("e5m2_float8", A[i])  #<
        C[i] = T.float6_e3m2fn(1.5)  #<
        D[i] = T.Cast("float4_e2m1fn", i)
        Y[i] = T.Cast("float32", A[i]) + T.Cast("float32", D[i])  #<
# result: D: float4_e2m1fn[6] 0 1 2 3 4 4
