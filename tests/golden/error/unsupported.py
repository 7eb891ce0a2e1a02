# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    with T.block("b", no_realize=True):
        A[0] = A[1]
    for i in range(0, 8, 2):
        A[i] = A[0]
    while n < 3:
        break
    with T.sblock("b"):
        A[0] = A[1]
    return
# expect:
%s:4:34: error: not supported yet: T.block with no_realize=True [unsupported]
    with T.block("b", no_realize=True):
                                 ^~~~
%s:6:26: error: not supported yet: a loop with a step [unsupported]
    for i in range(0, 8, 2):
                         ^
%s:9:9: error: not supported yet: 'break' and 'continue' [unsupported]
        break
        ^~~~~
%s:10:10: error: not supported yet: with T.sblock [unsupported]
    with T.sblock("b"):
         ^~~~~~~~~~~~~
%s:12:5: error: not supported: 'return' without a value in a @T.prim_func [unsupported]
    return
    ^~~~~~
