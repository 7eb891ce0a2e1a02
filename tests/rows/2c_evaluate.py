# row: calls as statements
# section: 2c
# does: prints
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    T.evaluate(T.call_extern("int32", "f", A.data))  #<
    T.call_extern("int32", "g", A.data)  #<
