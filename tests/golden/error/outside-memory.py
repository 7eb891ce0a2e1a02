# run: not tenon run --interpret --random %s
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    p = T.allocate([4], "float32", "global")
    B = T.decl_buffer((8,), data=p)
    B[6] = A[0]
# expect:
%s:6:5: error: f: buffer 'B' reaches outside the memory behind it [outside-memory]
    B[6] = A[0]
    ^~~~~~~~~~~
