# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    if A:
        A[0] = A[1]
    if "x":
        A[0] = A[1]
    while n + A[0]:
        A[0] = A[1]
# expect:
%s:4:8: error: expected an expression, got a buffer [not-an-expression]
    if A:
       ^
  hint: write its indices, as in A[i, j], or A.data for its pointer
%s:6:8: error: expected a condition, got handle [not-a-condition]
    if "x":
       ^~~
%s:8:11: error: expected a condition, got float32 [not-a-condition]
    while n + A[0]:
          ^~~~~~~~
