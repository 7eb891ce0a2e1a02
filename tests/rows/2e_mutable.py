# row: mutable scalar
# section: 2e
# does: runs, prints a buffer of one element
# --- 2026
from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((8,), "float32"), B: T.Buffer((3,), "float32")):
    acc = T.float32(0)  #<
    largest: T.float32 = A[0]  #<
    n: T.int32  #<
    n = 0
    for i in range(8):
        acc = acc + A[i]  #<
        if A[i] > largest:
            largest = A[i]
        n += 1
    B[0] = acc
    B[1] = largest
    B[2] = T.Cast("float32", n)
