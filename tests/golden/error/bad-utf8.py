# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    T.evaluate(T.call_extern("int32", "café", A.data))
    A[0] = A[ÿ1]
# expect:
%s:4:43: error: byte 0xe9 is no UTF-8 text [bad-utf8]
    T.evaluate(T.call_extern("int32", "caf?", A.data))
                                          ^
%s:5:14: error: byte 0xff is no UTF-8 text [bad-utf8]
    A[0] = A[?1]
             ^
