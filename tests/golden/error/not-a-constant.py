# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0:4] = T.Broadcast(A[0], n)
    A[T.Ramp(0, 1, n)] = A[0]
# expect:
%s:4:32: error: expected a constant integer, got an expression [not-a-constant]
    A[0:4] = T.Broadcast(A[0], n)
                               ^
%s:5:20: error: expected a constant integer, got an expression [not-a-constant]
    A[T.Ramp(0, 1, n)] = A[0]
                   ^
