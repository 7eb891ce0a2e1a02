# row: specialised function
# section: 2c
# does: runs
# --- 2026
@T.jit  #<
def f(A: T.Buffer((N, 4), "float32"), N: T.constexpr = 2):  #<
    T.static_assert(N % 2 == 0, "even")  #<
    for i, j in T.grid(N, 4):
        A[i, j] = A[i, j] + 1.0
