# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    A[0] = T.float32 & 1
    A[1] = A[0] + T.float32
# expect:
%s:4:12: error: expected an expression, got a type [not-an-expression]
    A[0] = T.float32 & 1
           ^~~~~~~~~~~~~
  hint: a number of that type is written T.float32(1)
%s:5:12: error: expected an expression, got a type [not-an-expression]
    A[1] = A[0] + T.float32
           ^~~~~~~~~~~~~~~~
  hint: a number of that type is written T.float32(1)
