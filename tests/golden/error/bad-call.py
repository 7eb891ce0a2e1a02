# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = T.exp(n)
    A[1] = T.pow(A[0], n)
    A[2] = T.popcount(A[0])
# expect:
%s:4:12: error: 'exp' takes floats, not int32 [bad-call]
    A[0] = T.exp(n)
           ^~~~~~~~
%s:6:12: error: 'popcount' takes integers, not float32 [bad-call]
    A[2] = T.popcount(A[0])
           ^~~~~~~~~~~~~~~~
