# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    with T.block("b"):
        T.reads(n)
        T.writes(3)
        A[0] = A[1]
# expect:
%s:5:17: error: expected a buffer or a region of one, as in A[i, 0:8], got an expression [not-a-region]
        T.reads(n)
                ^
%s:6:18: error: expected a buffer or a region of one, as in A[i, 0:8], got an integer [not-a-region]
        T.writes(3)
                 ^
