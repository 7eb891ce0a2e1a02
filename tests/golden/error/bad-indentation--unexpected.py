# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = A[1]
      A[1] = A[2]
# expect:
%s:5:7: error: this line is indented more than the one before, which opens no block [bad-indentation]
      A[1] = A[2]
      ^
