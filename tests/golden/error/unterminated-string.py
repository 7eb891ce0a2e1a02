# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    T.evaluate(T.call_extern("int32", "f, A.data))
    A[0] = A[1]
# expect:
%s:4:29: error: this '(' is never closed [unbalanced-bracket]
    T.evaluate(T.call_extern("int32", "f, A.data))
                            ^
%s:4:39: error: this string never ends: expected a closing quote [unterminated-string]
    T.evaluate(T.call_extern("int32", "f, A.data))
                                      ^
