# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    v = T.float32()
    A[0] = T.Let(v, 3)
    A[1] = T.Let(v, where={3: v})
# expect:
%s:5:21: error: expected where={name: value} [bad-let]
    A[0] = T.Let(v, 3)
                    ^
%s:6:28: error: expected a name [bad-let]
    A[1] = T.Let(v, where={3: v})
                           ^
