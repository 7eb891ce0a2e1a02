# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = A[1] $ 3
    A[1] = n ? 3
    A[2] = A[3]!
# expect:
%s:4:17: error: '$' has no meaning here [stray-character]
    A[0] = A[1] $ 3
                ^
%s:5:14: error: '?' has no meaning here [stray-character]
    A[1] = n ? 3
             ^
%s:6:16: error: '!' has no meaning here [stray-character]
    A[2] = A[3]!
               ^
