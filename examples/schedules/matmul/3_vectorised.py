# Vectors: eight columns are one instruction. The first values are written before the sums, so that
# the loop over k asks for nothing else in every round.
sch = tir.Schedule(IRModule)
C = sch.get_block("C", "main")
i, j, k = sch.get_loops(C)
i0, i1 = sch.split(i, factors=[None, 64])
j0, j1, j2 = sch.split(j, factors=[None, 8, 8])
k0, k1 = sch.split(k, factors=[None, 64])
sch.reorder(i0, j0, k0, i1, k1, j1, j2)
init = sch.decompose_reduction(C, k0)
sch.vectorize(sch.get_loops(init)[-1])
sch.vectorize(j2)
