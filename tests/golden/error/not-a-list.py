# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0:4] = T.Shuffle(A[0:4], 3)
# expect:
%s:4:24: error: expected a list, got an expression [not-a-list]
    A[0:4] = T.Shuffle(A[0:4], 3)
                       ^~~~~~
%s:4:32: error: expected a list, got an integer [not-a-list]
    A[0:4] = T.Shuffle(A[0:4], 3)
                               ^
