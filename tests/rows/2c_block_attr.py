# row: attributes of a block
# section: 2c
# does: runs
# same: 2022
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.block("A"):
            vi = T.axis.spatial(4, i)
            T.block_attr({"meta_schedule.tiling_structure": "SSRSRS"})  #<
            A[vi] = A[vi] + 1.0
# --- 2026
@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.sblock("A"):
            vi = T.axis.spatial(4, i)
            T.sblock_attr({"meta_schedule.tiling_structure": "SSRSRS"})  #<
            A[vi] = A[vi] + 1.0
