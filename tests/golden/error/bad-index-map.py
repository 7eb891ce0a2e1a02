# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    T.func_attr({"m": T.index_map(3)})
# expect:
%s:4:35: error: expected a lambda from indices to indices [bad-index-map]
    T.func_attr({"m": T.index_map(3)})
                                  ^
