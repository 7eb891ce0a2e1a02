# Tiles: blocks of 64 x 64 numbers of A, B and C at a time, which stay in the nearest cache while each
# number is used 64 times.
sch = tir.Schedule(IRModule)
C = sch.get_block("C", "main")
i, j, k = sch.get_loops(C)
i0, i1 = sch.split(i, factors=[None, 64])
j0, j1 = sch.split(j, factors=[None, 64])
k0, k1 = sch.split(k, factors=[None, 64])
sch.reorder(i0, j0, k0, i1, j1, k1)
