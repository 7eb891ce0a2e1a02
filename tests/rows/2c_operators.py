# row: operators of integers
# section: 2c
# does: runs
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32"), C: T.Buffer((8,), "bool")):
    for i in range(8):
        A[i] = (i - 3) // 2 * 100 + (i - 3) % 2 * 10 + T.truncdiv(i - 3, 2)  #<
        B[i] = (i & 3 | 8) ^ 1 + (~i) + (i << 2 >> 1)  #<
        C[i] = i > 2 and not i == 5 or i == 0  #<
    B[0] = T.min(A[1], A[2]) + T.max(A[1], A[2]) + T.truncmod(A[0], 7)  #<
