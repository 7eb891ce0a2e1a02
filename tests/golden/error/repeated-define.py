# run: not tenon check -D N=4 -D N=8 %s
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    for i in range(N):
        A[i] = T.float32(0)
# expect:
%s:1:1: error: -D N=8: 'N' was given a value already [repeated-define]
# run: not tenon check -D N=4 -D N=8 %s
^
