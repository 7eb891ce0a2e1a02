# row: root block
# section: 2c
# does: runs, prints as a comment
# same: 2022
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
    with T.block("root"):  #<
        B = T.alloc_buffer((4,))
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi]
        for i in range(4):
            with T.block("C"):
                vi = T.axis.spatial(4, i)
                C[vi] = B[vi] * 2.0
# --- 2026
@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
    B = T.sblock_alloc_buffer((4,))  #<
    for i in range(4):
        with T.sblock("B"):
            vi = T.axis.spatial(4, i)
            B[vi] = A[vi]
    for i in range(4):
        with T.sblock("C"):
            vi = T.axis.spatial(4, i)
            C[vi] = B[vi] * 2.0
