# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0:2] = T.Shuffle([A[0:2], A[2:4]], [0, 4])
# expect:
%s:4:14: error: Shuffle takes vectors of one type and constant indices into their 4 lanes [bad-shuffle]
    A[0:2] = T.Shuffle([A[0:2], A[2:4]], [0, 4])
             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
