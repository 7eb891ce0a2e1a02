# run: not tenon check %s
# Python's functions have counterparts under T.
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    A[0] = max(A[1], 2)
    A[1] = exp(A[1])
    A[2] = A[1] ** 2
    print(A[0])
# expect:
%s:5:12: error: unknown function 'max' [unknown-function]
    A[0] = max(A[1], 2)
           ^~~
  hint: did you mean 'T.max'?
%s:6:12: error: unknown function 'exp' [unknown-function]
    A[1] = exp(A[1])
           ^~~
  hint: did you mean 'T.exp'?
%s:7:12: error: not supported: operator '**' between expressions [unsupported]
    A[2] = A[1] ** 2
           ^~~~~~~~~
  hint: write T.pow(a, b)
%s:8:5: error: unknown function 'print' [unknown-function]
    print(A[0])
    ^~~~~
