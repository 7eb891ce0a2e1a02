# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    with T.LetStmt(A[0], var=3):
        A[1] = T.float32(0)
# expect:
%s:4:30: error: expected a variable, as from T.var, got an integer [bad-let]
    with T.LetStmt(A[0], var=3):
                             ^
