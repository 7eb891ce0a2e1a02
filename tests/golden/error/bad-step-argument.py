# run: not tenon schedule %s %t
@T.prim_func
def f(A: T.Buffer((8, 8), "float32")):
    for i, j in T.grid(8, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi, vj] = T.float32(1)
# steps:
i, j = sch.get_loops("B")
i0, i1 = sch.split(i, factor=[None, 4])
# expect:
%t:10:23: error: split takes no 'factor'; it takes (loop: loop, factors: list[int|None], preserve_unit_iters: bool = True, disable_predication: bool = False) [bad-step-argument]
i0, i1 = sch.split(i, factor=[None, 4])
                      ^~~~~~~~~~~~~~~~
  hint: did you mean 'factors'?
