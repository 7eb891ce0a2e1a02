# row: prefetch
# section: 2c
# does: prints
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((64,), "float32")):
    T.prefetch(T.address_of(A[0]), 0, 3, 1)  #<
    T.prefetch(A, [T.Range(0, 64)])  #<
    A[0] = T.float32(1)
