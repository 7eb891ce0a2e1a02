# Order: inside a tile the loop over columns goes innermost. Now neighbouring rounds read neighbouring
# numbers of B and write neighbouring numbers of C, and none waits for the sum of the one before.
sch = tir.Schedule(IRModule)
C = sch.get_block("C", "main")
i, j, k = sch.get_loops(C)
i0, i1 = sch.split(i, factors=[None, 64])
j0, j1 = sch.split(j, factors=[None, 64])
k0, k1 = sch.split(k, factors=[None, 64])
sch.reorder(i0, j0, k0, i1, k1, j1)
