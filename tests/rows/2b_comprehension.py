# row: comprehensions, f-strings
# section: 2b
# does: refused needs-python
# same: 2022 2026
# --- 2023
SHAPE = [i * 2 for i in range(4)]  #<

@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    A[0] = T.float32(SHAPE[0])
