# row: other loops
# section: 2c
# does: runs
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((4, 4, 8), "float32")):
    for i in T.parallel(4):  #<
        for j in T.unroll(0, 4):  #<
            for k in T.vectorized(8, annotations={"note": "wide"}):  #<
                A[i, j, k] = A[i, j, k] * 2.0
