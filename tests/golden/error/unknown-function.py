# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = T.expp(A[1])
    A[1] = R.add(A[0], A[1])
    A[2] = math.exp(A[0])
# expect:
%s:4:12: error: unknown function 'T.expp' [unknown-function]
    A[0] = T.expp(A[1])
           ^~~~~~
  hint: did you mean 'exp'?
%s:5:12: error: unknown function 'R.add' [unknown-function]
    A[1] = R.add(A[0], A[1])
           ^~~~~
  hint: did you mean 'T.Add'?
%s:6:12: error: undefined name 'math' [undefined-name]
    A[2] = math.exp(A[0])
           ^~~~
  hint: Python's modules are not here; what a program may call is T.*, R.* and I.*
