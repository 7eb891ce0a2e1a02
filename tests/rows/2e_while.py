# row: while over a mutable scalar
# section: 2e
# does: runs
# --- 2026
from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((8,), "int32")):
    i: T.int32 = 0  #<
    is_done = False
    while not is_done:  #<
        A[i] = i * i
        i += 1  #<
        is_done = i == 8
# result: A: int32[8] 0 1 4 9 16 25 36 49
