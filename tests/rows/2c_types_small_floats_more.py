# row: the other small floats
# section: 2c
# does: runs, cast to compute
# same: 2022 2026
# --- 2023
@T.prim_func
def f(X: T.Buffer((6,), "float32"), A: T.Buffer((6,), "float8_e3m4"), B: T.Buffer((6,), "float8_e4m3"), C: T.Buffer((6,), "float8_e4m3b11fnuz"), D: T.Buffer((6,), "float8_e4m3fnuz"), E: T.Buffer((6,), "float8_e5m2fnuz"), F: T.Buffer((6,), "float8_e8m0fnu"), G: T.Buffer((6,), "float6_e2m3fn")):  #<
    for i in range(6):
        A[i] = T.Cast("float8_e3m4", X[i] * T.float32(20.0))
        B[i] = T.Cast("float8_e4m3", X[i] * T.float32(300.0))
        C[i] = T.Cast("float8_e4m3b11fnuz", A[i])
        D[i] = T.float8_e4m3fnuz("nan")  #<
        E[i] = T.max_value("float8_e5m2fnuz")  #<
        F[i] = T.Cast("float8_e8m0fnu", T.abs(X[i]))
        G[i] = T.Cast("float6_e2m3fn", X[i])
# result: E: float8_e5m2fnuz[6] 57344 57344 57344 57344 57344 57344
