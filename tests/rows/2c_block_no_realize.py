# row: block without realisation
# section: 2c
# does: runs
# same: 2022
# --- 2023
@T.prim_func
def f(A: T.Buffer((8,), "float32")):
    with T.block("A", no_realize=True):  #<
        A[0] = T.float32(1)
# --- 2026
@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "float32")):
    with T.sblock("A", no_realize=True):  #<
        A[0] = T.float32(1)
