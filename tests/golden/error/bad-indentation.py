# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    if n > 0:
        A[2] = A[3]
      A[3] = A[4]
# expect:
%s:6:7: error: this indentation (6) matches no open block; the enclosing one has 4 [bad-indentation]
      A[3] = A[4]
      ^
