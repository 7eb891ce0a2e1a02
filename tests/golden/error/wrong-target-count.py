# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    for i, j in range(4):
        A[i] = A[0]
    for i in T.grid(4, 4):
        A[i] = A[0]
    x, y = A[0], A[1], A[2]
    a, b = A[0]
# expect:
%s:4:9: error: 2 loop variables for 1 extents [wrong-target-count]
    for i, j in range(4):
        ^~~~
%s:6:9: error: 1 loop variables for 2 extents [wrong-target-count]
    for i in T.grid(4, 4):
        ^
%s:8:5: error: 2 names for 3 values [wrong-target-count]
    x, y = A[0], A[1], A[2]
    ^~~~~~~~~~~~~~~~~~~~~~~
%s:9:5: error: 2 names for an expression [wrong-target-count]
    a, b = A[0]
    ^~~~~~~~~~~
