# run: not tenon run --interpret=checked --random %s
@T.prim_func
def f(A: T.Buffer((9,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("difference"):
            vi = T.axis.spatial(8, i)
            T.reads(A[vi])
            T.writes(B[vi])
            B[vi] = A[vi + 1] - A[vi]
            C[vi] = A[vi]
# expect:
%s:9:13: error: f: block 'difference' reads A[1], which its T.reads does not declare: it names other elements; block 'difference' (vi=0); i=0; 8 times in all [undeclared-access]
            B[vi] = A[vi + 1] - A[vi]
            ^~~~~~~~~~~~~~~~~~~~~~~~~
%s:10:13: error: f: block 'difference' writes C[0], which its T.writes does not declare; block 'difference' (vi=0); i=0; 8 times in all [undeclared-access]
            C[vi] = A[vi]
            ^~~~~~~~~~~~~
