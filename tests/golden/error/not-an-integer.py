# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    for i in range(A[0]):
        A[0] = A[1]
    A[1.5] = A[0]
    A[A[0]] = A[1]
# expect:
%s:4:20: error: expected an integer expression, got float32 [not-an-integer]
    for i in range(A[0]):
                   ^~~~
%s:6:7: error: expected an integer expression, got float32 [not-an-integer]
    A[1.5] = A[0]
      ^~~
%s:7:7: error: expected an integer expression, got float32 [not-an-integer]
    A[A[0]] = A[1]
      ^~~~
