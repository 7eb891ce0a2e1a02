# row: computing in a storage type
# section: 2c
# does: refused unsupported
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((7,), "float8_e4m3fn"), B: T.Buffer((7,), "float8_e4m3fn")):
    for i in range(7):
        B[i] = A[i] + A[i]  #<
