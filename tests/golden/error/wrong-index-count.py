# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0, 1] = A[0]
    A[0] = A[()]
    with T.block("b"):
        T.reads(A[0, 0])
        A[0] = A[1]
# expect:
%s:4:5: error: 'A' has 1 dimensions, got 2 indices [wrong-index-count]
    A[0, 1] = A[0]
    ^~~~~~~
%s:5:12: error: 'A' has 1 dimensions, got 0 indices [wrong-index-count]
    A[0] = A[()]
           ^~~~~
%s:7:17: error: 'A' has 1 dimensions, got 2 indices [wrong-index-count]
        T.reads(A[0, 0])
                ^~~~~~~
