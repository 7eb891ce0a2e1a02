# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    T.evaluate(T.call_extern("int32", "f\q", A.data))
    T.evaluate(T.call_extern("int32", "f\x0", A.data))
    T.evaluate(T.call_extern("int32", "f\ud800", A.data))
# expect:
%s:5:39: error: this string has an escape that is not supported or stands for no character [bad-escape]
    T.evaluate(T.call_extern("int32", "f\x0", A.data))
                                      ^~~~~~
%s:6:39: error: this string has an escape that is not supported or stands for no character [bad-escape]
    T.evaluate(T.call_extern("int32", "f\ud800", A.data))
                                      ^~~~~~~~~
