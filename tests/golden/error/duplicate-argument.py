# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = T.Cast("float32", n, value=n)
    A[1] = T.cast(n, dtype="float32", dtype="float32")
# expect:
%s:4:33: error: argument 'value' is given twice [duplicate-argument]
    A[0] = T.Cast("float32", n, value=n)
                                ^~~~~~~
%s:5:39: error: argument 'dtype' is given twice [duplicate-argument]
    A[1] = T.cast(n, dtype="float32", dtype="float32")
                                      ^~~~~~~~~~~~~~~
