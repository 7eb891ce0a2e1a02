# row: scalar parameter, result
# section: 2c
# does: prints
# same: 2022 2026
# --- 2023
@T.prim_func
def f(n: T.int32, eps: T.float32) -> T.int32:  #<
    T.evaluate(eps)
    return n + 1  #<
