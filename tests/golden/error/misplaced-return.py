# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((8,), "int32")):
    for i in T.parallel(8):
        if A[i] > 0:
            return
        A[i] = 1
# expect:
%s:6:13: error: 'return' in loop 'i', whose iterations run at once [misplaced-return]
            return
            ^~~~~~
