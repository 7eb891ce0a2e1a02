# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0) = A[1]
    A[1] = A[2])
    A[3] = (A[4]
# expect:
%s:4:8: error: ')' does not close the '[' of line 4, column 6 [unbalanced-bracket]
    A[0) = A[1]
       ^
%s:5:16: error: ')' closes nothing [unbalanced-bracket]
    A[1] = A[2])
               ^
%s:6:12: error: this '(' is never closed [unbalanced-bracket]
    A[3] = (A[4]
           ^
