# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = A[1]

@T.prim_func
def g(A, n: T.int32):
    A[0] = n
# expect:
%s:7:7: error: parameter 'A' needs a type: T.handle, T.Buffer(...), T.int32 ... [missing-annotation]
def g(A, n: T.int32):
      ^
