# row: regions
# section: 2c
# does: runs, found where they are not written
# same: 2022
# --- 2023
@T.prim_func
def f(A: T.Buffer((4, 8), "float32"), C: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.block("C"):
            vi = T.axis.spatial(4, i)
            T.reads(A[vi, 0:8])  #<
            T.writes(C[vi])  #<
            C[vi] = T.float32(0)
            for k in range(8):
                C[vi] = C[vi] + A[vi, k]
    with T.block("end"):
        T.reads()  #<
        T.writes()  #<
        T.evaluate(0)
# --- 2026
@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), C: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.sblock("C"):
            vi = T.axis.spatial(4, i)
            T.reads(A[vi, 0:8])  #<
            T.writes(C[vi])  #<
            C[vi] = T.float32(0)
            for k in range(8):
                C[vi] = C[vi] + A[vi, k]
    with T.sblock("end"):
        T.reads()  #<
        T.writes()  #<
        T.evaluate(0)
