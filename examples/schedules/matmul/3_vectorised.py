# Vectors: eight columns are one instruction.
sch = tir.Schedule(IRModule)
C = sch.get_block("C", "main")
i, j, k = sch.get_loops(C)
i0, i1 = sch.split(i, factors=[None, 64])
j0, j1, j2 = sch.split(j, factors=[None, 8, 8])
sch.reorder(i0, j0, i1, k, j1, j2)
sch.decompose_reduction(C, k)
sch.vectorize(j2)
