# row: attributes of a function
# section: 2c
# does: runs
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    T.func_attr({"global_symbol": "f", "tir.noalias": True, "op_pattern": 0})  #<
    for i in range(4):
        A[i] = A[i] + 1.0
