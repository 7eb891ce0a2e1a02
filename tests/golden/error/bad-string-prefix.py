# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    T.evaluate(T.call_extern("int32", f"f{n}", A.data))
# expect:
%s:4:39: error: string prefix 'f' is not supported: write a plain string [bad-string-prefix]
    T.evaluate(T.call_extern("int32", f"f{n}", A.data))
                                      ^
