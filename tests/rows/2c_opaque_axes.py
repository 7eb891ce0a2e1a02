# row: axes of other kinds
# section: 2c
# does: runs
# same: 2022
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "int32")):
    for i in range(4):
        with T.block("A"):
            vi = T.axis.opaque(4, i)  #<
            A[vi] = vi
    for i in range(3):
        with T.block("B"):
            vi = T.axis.scan(3, i)  #<
            A[vi + 1] = A[vi] + 2
# --- 2026
@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32")):
    for i in range(4):
        with T.sblock("A"):
            vi = T.axis.opaque(4, i)  #<
            A[vi] = vi
    for i in range(3):
        with T.sblock("B"):
            vi = T.axis.scan(3, i)  #<
            A[vi + 1] = A[vi] + 2
