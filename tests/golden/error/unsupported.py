# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    with T.realize(A[0:4], "global"):
        A[0] = A[1]
# expect:
%s:4:10: error: not supported yet: with T.realize [unsupported]
    with T.realize(A[0:4], "global"):
         ^~~~~~~~~~~~~~~~~~~~~~~~~~~
