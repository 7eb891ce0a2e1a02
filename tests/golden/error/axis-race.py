# run: not tenon run --interpret=checked --random %s
@T.prim_func
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "float32")):
    for i, j in T.grid(4, 8):
        with T.block("last"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi])
            B[vi] = A[vi, vj]
# expect:
%s:9:13: error: f: B[0] is written, which an instance with other spatial axes wrote (line 9); block 'last' (vi=0, vj=1); i=0, j=1; 28 times in all [axis-race]
            B[vi] = A[vi, vj]
            ^~~~~~~~~~~~~~~~~
