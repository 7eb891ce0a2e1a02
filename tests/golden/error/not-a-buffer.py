# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = n[0]
    n[0] = A[0]
# expect:
%s:4:12: error: an expression cannot be indexed: expected a buffer [not-a-buffer]
    A[0] = n[0]
           ^~~~
%s:5:5: error: an expression cannot be stored to: expected a buffer [not-a-buffer]
    n[0] = A[0]
    ^~~~
