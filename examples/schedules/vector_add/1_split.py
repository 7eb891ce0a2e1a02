# The loop becomes two: blocks of 4096 numbers, and the numbers of a block. Nothing else changes yet.
sch = tir.Schedule(IRModule)
C = sch.get_block("C", "main")
(i,) = sch.get_loops(C)
i0, i1 = sch.split(i, factors=[None, 4096])
