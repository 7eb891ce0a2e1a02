# row: result
# section: 2c
# does: prints
# same: 2026
# --- 2022
@T.prim_func
def f(n: T.int32) -> T.int32:
    T.ret(n * 2)  #<
# --- 2023
@T.prim_func
def f(n: T.int32) -> T.int32:
    return n * 2  #<
