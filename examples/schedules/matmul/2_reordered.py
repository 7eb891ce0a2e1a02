# Order: the loop over columns goes inside that over k. Now neighbouring rounds read neighbouring
# numbers of B and write neighbouring numbers of C, and none waits for the sum of the one before.
sch = tir.Schedule(IRModule)
C = sch.get_block("C", "main")
i, j, k = sch.get_loops(C)
i0, i1 = sch.split(i, factors=[None, 64])
j0, j1 = sch.split(j, factors=[None, 64])
sch.reorder(i0, j0, i1, k, j1)
