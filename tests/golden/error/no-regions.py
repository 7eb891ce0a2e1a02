# run: not tenon check %s
@T.prim_func
def f(p: T.handle, B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("copy"):
            vi = T.axis.spatial(8, i)
            A = T.decl_buffer((8,), "float32", data=p)
            B[vi] = A[vi]
# expect:
%s:5:9: error: 'A' lies over memory of no buffer that is known here: write the block's T.reads and T.writes [no-regions]
        with T.block("copy"):
        ^~~~
