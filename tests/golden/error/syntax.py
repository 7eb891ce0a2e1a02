# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    for i in range(4)
        A[i] = A[0]
    A[0] = = A[1]
    x = [i for i in n]
    if n is 3:
        A[0] = A[1]
    A[0] = B = A[1]
# expect:
%s:4:22: error: expected ':' after the loop's head, got end of line [syntax]
    for i in range(4)
                     ^
%s:6:12: error: expected an expression, got '=' [syntax]
    A[0] = = A[1]
           ^
%s:7:12: error: a comprehension needs Python, and this text is read without: write its items [needs-python]
    x = [i for i in n]
           ^~~
%s:8:10: error: 'is' is not supported: compare with == [syntax]
    if n is 3:
         ^~
%s:10:14: error: chained assignment is not supported [syntax]
    A[0] = B = A[1]
             ^
