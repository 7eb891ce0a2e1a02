# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    for i in range(0, 8, 9223372036854775808):
        A[i] = A[0]
# expect:
%s:4:26: error: the step does not fit its variable's type [integer-too-large]
    for i in range(0, 8, 9223372036854775808):
                         ^~~~~~~~~~~~~~~~~~~
