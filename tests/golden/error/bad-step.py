# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    for i in range(0, 8, 0):
        A[i] = A[0]
# expect:
%s:4:26: error: a loop with a step of 0 makes no progress [bad-step]
    for i in range(0, 8, 0):
                         ^
