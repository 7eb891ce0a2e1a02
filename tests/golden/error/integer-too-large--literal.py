# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = 99999999999999999999
# expect:
%s:4:12: error: integer '99999999999999999999' does not fit 64 bits [integer-too-large]
    A[0] = 99999999999999999999
           ^~~~~~~~~~~~~~~~~~~~
