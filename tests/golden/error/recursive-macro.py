# run: not tenon check %s
@T.macro
def call(f, A):
    f(f, A)


@T.macro
def again(A, i):
    A[i] = T.float32(0)
    again(A, i - 1)


@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    again(A, 3)
    call(call, A)
# expect:
%s:4:5: error: macro 'call' is called while it is expanded: it would never end (in macro 'call', called at line 16) [recursive-macro]
    f(f, A)
    ^~~~~~~
%s:10:5: error: macro 'again' is called while it is expanded: it would never end (in macro 'again', called at line 15) [recursive-macro]
    again(A, i - 1)
    ^~~~~~~~~~~~~~~
