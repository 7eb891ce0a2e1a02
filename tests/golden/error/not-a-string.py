# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    with T.block(3):
        A[0] = A[1]
    T.evaluate(T.call_extern("int32", n, A.data))
# expect:
%s:4:18: error: expected a string, got an integer [not-a-string]
    with T.block(3):
                 ^
%s:6:16: error: the first argument of 'call_extern' is the name of a function, a text [bad-call]
    T.evaluate(T.call_extern("int32", n, A.data))
               ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
