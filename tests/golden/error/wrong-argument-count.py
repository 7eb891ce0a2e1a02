# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = T.Select(n > 0, A[0], A[1], A[2])
    A[1] = T.float32(1, 2)
    A[2] = T.exp(A[0], A[1])
# expect:
%s:4:40: error: too many arguments: Select takes 3 [wrong-argument-count]
    A[0] = T.Select(n > 0, A[0], A[1], A[2])
                                       ^~~~
%s:5:12: error: a type takes one value [wrong-argument-count]
    A[1] = T.float32(1, 2)
           ^~~~~~~~~~~~~~~
%s:6:12: error: 'exp' takes 1 arguments, not 2 [bad-call]
    A[2] = T.exp(A[0], A[1])
           ^~~~~~~~~~~~~~~~~
