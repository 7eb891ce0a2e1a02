# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = n(3)
    A[1] = A.load(3)
# expect:
%s:4:12: error: an expression cannot be called [not-callable]
    A[0] = n(3)
           ^~~~
%s:5:12: error: a buffer has no attribute 'load' [unknown-attribute]
    A[1] = A.load(3)
           ^~~~~~
  hint: did you mean 'vload'?
