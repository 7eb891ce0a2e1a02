# run: tenon run --input a=5 --input b=3 %s
# Unsigned bounds whose end is before the start are no loop of 2^32 - 2 rounds.
@T.prim_func
def f(A: T.Buffer((8,), "int32"), a: T.uint32, b: T.uint32):
    for i in range(8):
        A[i] = 1
    for i in range(a, b):
        A[i] = 2
    for i in range(T.uint32(5), T.uint32(3)):
        A[i] = 3
    for i in range(b, a):
        A[i] = 4
# expect:
A: int32[8] 1 1 1 4 4 1 1 1
