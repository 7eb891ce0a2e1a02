# run: not tenon schedule %s %t
# A step that does not apply is named.
@T.prim_func
def mm_relu(A: T.Buffer((128, 128), "float32"), B: T.Buffer((128, 128), "float32"), C: T.Buffer((128, 128), "float32")):
    Y = T.alloc_buffer((128, 128))
    for i, j, k in T.grid(128, 128, 128):
        with T.block("Y"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                Y[vi, vj] = T.float32(0)
            Y[vi, vj] = Y[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(128, 128):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.max(Y[vi, vj], T.float32(0))
# steps:
[[
  ["GetBlock", [], ["Y", "mm_relu"], ["b0"]],
  ["GetLoops", ["b0"], [], ["l1", "l2", "l3"]],
  ["Parallel", ["l3"], [], []]], []]
# expect:
error: %t: step 3: parallel: two rounds of loop 'k' touch one element of a reduction: block 'Y' reads 'Y' and block 'Y' writes it, for example at k=0 and at k=1 with j=0, i=0; 'Y' is not each round's own: block 'C' outside of the loop reads it [invalid argument]
