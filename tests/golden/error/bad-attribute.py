# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    T.func_attr({1: 2})
    for i in T.serial(4, annotations=3):
        A[i] = A[i]
    with T.block("b"):
        T.block_attr({"k": A})
        A[0] = A[1]
# expect:
%s:4:17: error: a key of a dictionary of attributes must be a string [bad-attribute]
    T.func_attr({1: 2})
                ^~~~~~
%s:5:38: error: expected a dictionary of annotations [bad-attribute]
    for i in T.serial(4, annotations=3):
                                     ^
