# run: not tenon run --interpret --random %s
@T.prim_func
def f(A: T.Buffer((16,), "int32")):
    p = T.allocate([A[0] - 100], "float32", "global")
    B = T.decl_buffer((4,), data=p)
    B[0] = T.float32(1)
# expect:
%s:4:9: error: f: extent -103 of an allocation is negative [negative-extent]
    p = T.allocate([A[0] - 100], "float32", "global")
        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
