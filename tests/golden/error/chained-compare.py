# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    if 0 < n < 4:
        A[0] = A[1]
# expect:
%s:4:14: error: comparisons cannot be chained: write 'a < b and b < c' [chained-compare]
    if 0 < n < 4:
             ^
