# A write cache: 6 x 16 results are summed in registers over all of k, and written once. Twelve
# registers of eight numbers hold them, two hold numbers of B, one a number of A: with 16 registers
# that is all there is. Every number of A that is loaded is used 16 times, every one of B six times.
sch = tir.Schedule(IRModule)
C = sch.get_block("C", "main")
out = sch.cache_write(C, 0, "local")
i, j, k = sch.get_loops(C)
i0, i1 = sch.split(i, factors=[None, 6])
j0, j1, j2, j3 = sch.split(j, factors=[None, 4, 2, 8])
sch.reorder(j0, i0, j1, k, i1, j2, j3)
sch.reverse_compute_at(out, j1)
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
