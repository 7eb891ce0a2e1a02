# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    A[0] = A[1] ** A[2]
# expect:
%s:4:12: error: not supported: operator '**' between expressions [unsupported]
    A[0] = A[1] ** A[2]
           ^~~~~~~~~~~~
  hint: write T.pow(a, b)
