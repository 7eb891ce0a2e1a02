# row: constant memory
# section: 2c
# does: runs
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((2,), "float32")):
    p = T.allocate_const([1.5, 2.0], "float32", [2])  #<
    B = T.decl_buffer((2,), data=p)
    for i in range(2):
        A[i] = B[i]
# result: A: float32[2] 1.5 2
