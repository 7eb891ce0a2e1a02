# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    with T.realize(A[0:4], "global"):
        A[0] = A[1]
    for i in range(0, 8, 2):
        A[i] = A[0]
    with T.sblock("b"):
        A[0] = A[1]
# expect:
%s:4:10: error: not supported yet: with T.realize [unsupported]
    with T.realize(A[0:4], "global"):
         ^~~~~~~~~~~~~~~~~~~~~~~~~~~
%s:6:26: error: not supported yet: a loop with a step, of the spelling of 2026 [unsupported]
    for i in range(0, 8, 2):
                         ^
%s:8:10: error: not supported yet: with T.sblock [unsupported]
    with T.sblock("b"):
         ^~~~~~~~~~~~~
