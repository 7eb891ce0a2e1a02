# row: block
# section: 2c
# does: runs
# --- 2022
@T.prim_func
def f(A: T.Buffer[(8,), "float32"], B: T.Buffer[(8,), "float32"]):
    for i in range(8):
        with T.block("B"):  #<
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] * 2.0
# --- 2023
@T.prim_func
def f(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):  #<
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] * 2.0
# --- 2026
@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.sblock("B"):  #<
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] * 2.0
