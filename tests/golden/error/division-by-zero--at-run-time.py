# run: not tenon run --interpret --random %s
@T.prim_func
def f(A: T.Buffer((16,), "int32")):
    A[0] = A[1] // (A[2] - A[2])
# expect:
%s:4:5: error: f: integer division by zero [division-by-zero]
    A[0] = A[1] // (A[2] - A[2])
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
