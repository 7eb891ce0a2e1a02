# row: values from the command line
# section: 2b
# does: runs
# define: N=4 KIND=float32 IS_FAST=True
# same: 2022 2026
# --- 2023
# tenon check -D N=4 -D KIND=float32 -D IS_FAST=True  #<
@T.prim_func
def f(A: T.Buffer((N,), KIND)):
    for i in range(N):
        if IS_FAST:
            A[i] = A[i] + 1.0
