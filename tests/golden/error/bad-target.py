# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    3 = A[0]
    n + 1 = A[0]
    n += 1
    for 3 in range(4):
        pass
    T.func_attr({"target": T.target(3)})
# expect:
%s:4:5: error: expected a name or an element of a buffer on the left of '=' [bad-target]
    3 = A[0]
    ^
%s:5:5: error: expected a name or an element of a buffer on the left of '=' [bad-target]
    n + 1 = A[0]
    ^~~~~
%s:6:5: error: only an element of a buffer can be changed, as in 'A[i] += x' [bad-target]
    n += 1
    ^
%s:7:9: error: expected the name of a loop variable [bad-target]
    for 3 in range(4):
        ^
%s:9:37: error: expected a target as text or as a dictionary [bad-target]
    T.func_attr({"target": T.target(3)})
                                    ^
