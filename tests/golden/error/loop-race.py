# run: not tenon run --interpret=checked --random %s
@T.prim_func
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        B[i] = T.float32(0)
    for i in range(4):
        for k in T.parallel(8):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk], B[vi])
                T.writes(B[vi])
                B[vi] = B[vi] + A[vi, vk]
# expect:
%s:12:17: error: f: a turn of the parallel loop over 'k' reads B[0], which another one wrote (line 12); block 'sum' (vi=0, vk=1); i=0, k=1; 56 times in all [loop-race]
                B[vi] = B[vi] + A[vi, vk]
                ^~~~~~~~~~~~~~~~~~~~~~~~~
