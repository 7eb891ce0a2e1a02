# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[16] = A[-1]
    A[0] = A[3]
# expect:
%s:4:15: error: index -1 is outside of dimension 0 of 'A', whose extent is 16 [index-out-of-range]
    A[16] = A[-1]
              ^~
