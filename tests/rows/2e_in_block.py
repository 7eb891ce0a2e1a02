# row: mutable scalar in a block
# section: 2e
# does: runs
# --- 2026
@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.sblock("B"):
            vi = T.axis.spatial(4, i)
            x = A[vi, 0]  #<
            for k in range(3):
                x = T.max(x, A[vi, k + 1])  #<
            B[vi] = x
