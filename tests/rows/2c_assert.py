# row: assertion
# section: 2c
# does: runs
# args: --size n=4
# same: 2022
# --- 2023
@T.prim_func
def f(a: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,))
    assert n == 4, "four only"  #<
    for i in range(n):
        A[i] = A[i] + 1.0
# --- 2026
from tvm.script import tirx as T

@T.prim_func
def f(a: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,))
    assert n == 4, ("RuntimeError", ["four ", "only"])  #<
    for i in range(n):
        A[i] = A[i] + 1.0
