# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    m = T.int32()
    A[0] = m
# expect:
%s:5:5: error: variable 'm' is used but not bound here [undefined-variable]
    A[0] = m
    ^~~~~~~~
