# row: store and load through pointers
# section: 2c
# does: runs, prints views
# --- 2022
@T.prim_func
def f(A: T.Buffer[(8,), "float32"], B: T.Buffer[(4, 2), "float32"]):
    p = T.allocate([8], "float32", "global")
    for i in range(8):
        T.store(p, i, T.load("float32", A.data, i) * 2.0, True)  #<
    for i in range(8):
        T.store(B.data, i, T.load("float32", p, 7 - i), True)  #<
    T.store(p, T.ramp(0, 1, 4), T.load("float32x4", A.data, T.ramp(4, 1, 4)))
