# row: reducers, maps, targets
# section: 2c
# does: prints
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    T.func_attr({"target": T.target({"kind": "llvm"})})  #<
    T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", 0)  #<
    T.attr(T.index_map(lambda i, j: (j, i)), "layout", 0)  #<
    A[0] = T.float32(1)
