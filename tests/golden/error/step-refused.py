# run: not tenon schedule %s %t
@T.prim_func
def f(A: T.Buffer((8, 8), "float32")):
    for i, j in T.grid(8, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi, vj] = T.float32(1)
# steps:
i, j = sch.get_loops("B")
sch.parallel(i)
sch.fuse(j, i)
# expect:
%t:11:1: error: fuse: loop 'i': it is not the only statement in loop 'j' [step-refused]
sch.fuse(j, i)
^~~~~~~~~~~~~~
  hint: name loops from the outside inwards; reorder them first
