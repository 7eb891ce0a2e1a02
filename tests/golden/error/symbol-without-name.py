# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = T.float32()
# expect:
%s:4:12: error: a variable needs a name here, as in 'n = T.int64()'; a literal needs a value [symbol-without-name]
    A[0] = T.float32()
           ^~~~~~~~~~~
