# row: size by name
# section: 2c
# does: runs
# args: --size n=5
# --- 2022
@T.prim_func
def f(a: T.handle, b: T.handle):
    n = T.var("int64")  #<
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    for i in range(n):
        B[i] = A[i] + 1.0
# --- 2023
@T.prim_func
def f(a: T.handle, b: T.handle):
    n = T.int64()  #<
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (n,))
    for i in range(n):
        B[i] = A[i] + 1.0
# --- 2026
from tvm.script import tirx as T

@T.prim_func
def f(a: T.handle, b: T.handle):
    n = T.int64(is_size_var=True)  #<
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (n,))
    for i in range(n):
        B[i] = A[i] + 1.0
