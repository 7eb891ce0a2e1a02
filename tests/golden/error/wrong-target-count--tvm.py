# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((4, 4), "float32")):
    for i, j in range(4):
        A[i, j] = 1.0
    for i, j in T.grid(4):
        A[i, j] = 1.0
    for i, j in T.grid(4, 4, 4):
        A[i, j] = 1.0
    m, n = T.int32(), T.int32(), T.int32()
# expect:
%s:4:9: error: 2 loop variables for 1 extents [wrong-target-count]
    for i, j in range(4):
        ^~~~
%s:6:9: error: 2 loop variables for 1 extents [wrong-target-count]
    for i, j in T.grid(4):
        ^~~~
%s:8:9: error: 2 loop variables for 3 extents [wrong-target-count]
    for i, j in T.grid(4, 4, 4):
        ^~~~
%s:10:5: error: 2 names for 3 values [wrong-target-count]
    m, n = T.int32(), T.int32(), T.int32()
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
