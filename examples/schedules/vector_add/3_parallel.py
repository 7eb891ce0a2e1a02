# The blocks are shared by the cores. An addition needs twelve bytes of memory for each number, so
# the memory decides how much that helps.
sch = tir.Schedule(IRModule)
C = sch.get_block("C", "main")
(i,) = sch.get_loops(C)
i0, i1, i2 = sch.split(i, factors=[None, 512, 8])
sch.vectorize(i2)
sch.parallel(i0)
