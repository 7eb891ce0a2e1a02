# For product.py: panels of NC columns of B are copied into the order in which they are read (a read cache, its
# layout transformed), A is read in place, and MR x NR numbers of C stay in registers for all of k (a write cache).
# V: the lanes of a vector; NR a multiple of V, NC of NR.
MR = knob("MR", [6, 4, 8, 10, 12, 14])
NR = knob("NR", [16, 24, 32, 48, 64])
V = knob("V", [8, 4, 16])
NC = knob("NC", [64, 16, 24, 32, 48, 96, 128, 192, 256])
sch = tir.Schedule(IRModule)
C = sch.get_block("C")
B_pack = sch.cache_read(C, 1, "global")
out = sch.cache_write(C, 0, "local")
i, j, k = sch.get_loops(C)
i0, i1 = sch.split(i, factors=[None, MR])
j0, j1, j2, j3 = sch.split(j, factors=[None, NC // NR, NR // V, V])
sch.reorder(j0, i0, j1, k, i1, j2, j3)
sch.reverse_compute_at(out, j1)
# The copy of B, panel by panel: NR columns, row after row.
sch.transform_layout(C, ("read", 1), lambda k, j: (j // NR, k, j % NR))
sch.compute_at(B_pack, j0)
kk, jj = sch.get_loops(B_pack)[-2:]
panel, lane = sch.split(jj, factors=[None, NR])
sch.reorder(panel, kk, lane)
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
col0, col1 = sch.split(col, factors=[None, V])
sch.unroll(row)
sch.unroll(col0)
sch.vectorize(col1)
# Each thread has columns of its own, and its own copy of B.
sch.parallel(j0)
