# row: loop with a step, type, unroll
# section: 2e
# does: runs, prints the loop over its rounds
# args: --size n=11
# --- 2026
from tvm.script import tirx as T

@T.prim_func
def f(a: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "int32")
    for i in range(n):
        A[i] = 0
    for i in range(0, 10, 3):  #<
        A[i] = 1
    for i in T.serial(1, n, step=4):  #<
        A[i] = 2
    for i in range(n - 2, 4, -2):
        A[i] = 3
    for i in T.serial(2, dtype="int64"):  #<
        A[i] = 4
    for i in T.serial(2, 3, unroll=True):  #<
        A[i] = 5
    for i in range(0, 9223372036854775808, 4611686018427387904):
        A[7 + T.Cast("int32", i // T.uint64(4611686018427387904))] = 6
    for i in range(T.uint64(5), T.uint64(2), T.uint64(2)):
        A[0] = 7
# result: A: int32[11] 4 4 5 1 0 3 1 6 6 3 0
