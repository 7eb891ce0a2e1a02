# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = AA[1]
    for index in range(4):
        A[indx] = A[0]
    A[1] = m
# expect:
%s:4:12: error: undefined name 'AA' [undefined-name]
    A[0] = AA[1]
           ^~
  hint: -D AA=VALUE gives it a value from outside
%s:6:11: error: undefined name 'indx' [undefined-name]
        A[indx] = A[0]
          ^~~~
  hint: did you mean 'index'?
%s:7:12: error: undefined name 'm' [undefined-name]
    A[1] = m
           ^
  hint: -D m=VALUE gives it a value from outside
