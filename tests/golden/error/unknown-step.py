# run: not tenon schedule %s %t
@T.prim_func
def f(A: T.Buffer((8, 8), "float32")):
    for i, j in T.grid(8, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi, vj] = T.float32(1)
# steps:
b = sch.get_block("B")
i, j = sch.get_loops(b)
i0, i1 = sch.splt(i, factors=[None, 4])
# expect:
%t:11:10: error: a schedule has no step 'splt' [unknown-step]
i0, i1 = sch.splt(i, factors=[None, 4])
         ^~~~~~~~
  hint: did you mean 'split'?
