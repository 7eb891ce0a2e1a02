# run: not tenon schedule %s %t
@T.prim_func
def f(A: T.Buffer((8, 8), "float32")):
    for i, j in T.grid(8, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi, vj] = T.float32(1)
# steps:
i, j, k = sch.get_loops("B")
# expect:
%t:9:1: error: 2 values for 3 names [bad-unpacking]
i, j, k = sch.get_loops("B")
^~~~~~~
