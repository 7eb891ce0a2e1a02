# row: macro
# section: 2c
# does: runs, prints what it expands to
# same: 2022
# --- 2023
@T.macro  #<
def twice(A, i):
    A[i] = A[i] * 2.0

@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    for i in range(4):
        twice(A, i)  #<
# --- 2026
@T.inline  #<
def twice(A, i):
    A[i] = A[i] * 2.0

@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    for i in range(4):
        twice(A, i)  #<
