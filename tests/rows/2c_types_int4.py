# row: 4-bit integers, as storage
# section: 2c
# does: runs, two to a byte, the first in its low half
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((7,), "int32"), B: T.Buffer((7,), "int4"), C: T.Buffer((7,), "uint4"), D: T.Buffer((7,), "int32")):  #<
    for i in T.parallel(7):
        B[i] = T.Cast("int4", i * 3)  #<
    for i in T.vectorized(7):
        C[i] = T.Cast("uint4", A[i])
    for i in range(7):
        D[i] = T.Cast("int32", B[i]) * 2  #<
# result: B: int4[7] 0 3 6 -7 -4 -1 2
