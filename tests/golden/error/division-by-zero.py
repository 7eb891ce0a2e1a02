# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[4 // 0] = A[1]
    A[0] = 1.0 / 0
# expect:
%s:4:7: error: division of literals by zero [division-by-zero]
    A[4 // 0] = A[1]
      ^~~~~~
%s:5:12: error: division of literals by zero [division-by-zero]
    A[0] = 1.0 / 0
           ^~~~~~~
