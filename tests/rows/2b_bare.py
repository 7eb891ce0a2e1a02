# row: functions without a class
# section: 2b
# does: runs
# args: --func g
# same: 2022 2026
# --- 2023
@T.prim_func  #<
def f(A: T.Buffer((4,), "float32")):
    A[0] = T.float32(1)

@T.prim_func
def g(A: T.Buffer((4,), "float32")):
    A[1] = T.float32(2)
