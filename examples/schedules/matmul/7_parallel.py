# Threads: blocks of 64 columns are shared by the cores. Each writes its own columns of C, and has its
# own copy of B.
sch = tir.Schedule(IRModule)
C = sch.get_block("C", "main")
B_pack = sch.cache_read(C, 1, "global")
out = sch.cache_write(C, 0, "local")
i, j, k = sch.get_loops(C)
i0, i1 = sch.split(i, factors=[None, 6])
j0, j1, j2, j3 = sch.split(j, factors=[None, 4, 2, 8])
sch.reorder(j0, i0, j1, k, i1, j2, j3)
sch.reverse_compute_at(out, j1)
# The copy of B, made for 64 columns at a time, row after row.
sch.transform_layout(C, ("read", 1), lambda k, j: (j // 16, k, j % 16))
sch.compute_at(B_pack, j0)
kk, jj = sch.get_loops(B_pack)[-2:]
panel, lane = sch.split(jj, factors=[None, 16])
sch.vectorize(lane)
# The three nests of a tile: first values, sums, results.
init = sch.decompose_reduction(C, k)
i1_init, j2_init, j3_init = sch.get_loops(init)[-3:]
sch.unroll(i1_init)
sch.unroll(j2_init)
sch.vectorize(j3_init)
sch.unroll(i1)
sch.unroll(j2)
sch.vectorize(j3)
row, col = sch.get_loops(out)[-2:]
col0, col1 = sch.split(col, factors=[None, 8])
sch.unroll(row)
sch.unroll(col0)
sch.vectorize(col1)
# What is needed soon.
sch.prefetch(B_pack, "B", kk, 8)
sch.prefetch(out, "C", j1, 1)
sch.unroll(sch.get_loops("B_prefetch")[-1])
sch.unroll(sch.get_loops("C_prefetch")[-1])
# The blocks of columns, shared.
sch.parallel(j0)
