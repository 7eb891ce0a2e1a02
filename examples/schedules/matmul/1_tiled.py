# Tiles: 64 x 64 results at a time, so that the rows of A and the columns of B that they need stay in
# the cache while they are used again.
sch = tir.Schedule(IRModule)
C = sch.get_block("C", "main")
i, j, k = sch.get_loops(C)
i0, i1 = sch.split(i, factors=[None, 64])
j0, j1 = sch.split(j, factors=[None, 64])
sch.reorder(i0, j0, i1, j1, k)
