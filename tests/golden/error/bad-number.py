# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = 1.2.3
    A[1] = 12abc
    A[2] = 0x
    A[3] = 1e
# expect:
%s:4:12: error: '1.2.3' is no number [bad-number]
    A[0] = 1.2.3
           ^~~~~
%s:5:12: error: '12abc' is no number [bad-number]
    A[1] = 12abc
           ^~~~~
%s:6:12: error: '0x' is no number [bad-number]
    A[2] = 0x
           ^~
%s:7:12: error: '1e' is no number [bad-number]
    A[3] = 1e
           ^~
