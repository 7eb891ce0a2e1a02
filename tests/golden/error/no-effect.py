# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] + A[1]
    n
# expect:
%s:4:5: error: this expression does nothing [no-effect]
    A[0] + A[1]
    ^~~~~~~~~~~
  hint: write T.evaluate(...) to keep it
%s:5:5: error: this expression does nothing [no-effect]
    n
    ^
  hint: write T.evaluate(...) to keep it
