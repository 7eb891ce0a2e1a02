# For product.py: all three axes in blocks; a panel of B, KC x NC, and a block of A, MC x KC, are copied into the
# order in which they are read, and MR x NR numbers of C stay in registers while a block of k goes by. V: the lanes
# of a vector; NR a multiple of V, NC of NR, MC of MR.
MR = knob("MR", [6, 4, 8, 10, 12, 14])
NR = knob("NR", [16, 24, 32, 48, 64])
V = knob("V", [8, 4, 16])
KC = knob("KC", [512, 16, 64, 128, 256, 384])
MC = knob("MC", [48, 12, 24, 28, 96, 120, 192, 240, 384, 480])
NC = knob("NC", [1024, 32, 64, 96, 192, 384, 512, 768, 1536, 2048])
sch = tir.Schedule(IRModule)
C = sch.get_block("C")
A_pack = sch.cache_read(C, 0, "global")
B_pack = sch.cache_read(C, 1, "global")
i, j, k = sch.get_loops(C)
i0, i1, i2 = sch.split(i, factors=[None, MC // MR, MR])
j0, j1, j2, j3 = sch.split(j, factors=[None, NC // NR, NR // V, V])
k0, k1 = sch.split(k, factors=[None, KC])
sch.reorder(j0, k0, i0, j1, i1, k1, i2, j2, j3)
# The copies: panels of NR columns of B, row after row; of MR rows of A, column after column.
sch.transform_layout(C, ("read", 0), lambda i, k: (i // MR, k, i % MR))
sch.transform_layout(C, ("read", 1), lambda k, j: (j // NR, k, j % NR))
sch.compute_at(A_pack, i0)
sch.compute_at(B_pack, k0)
kk, jj = sch.get_loops(B_pack)[-2:]
panel, lane = sch.split(jj, factors=[None, NR])
sch.reorder(panel, kk, lane)
sch.vectorize(lane)
ii, kk = sch.get_loops(A_pack)[-2:]
panel, row = sch.split(ii, factors=[None, MR])
sch.reorder(panel, kk, row)
sch.unroll(row)
# C is set to zero before all, then each block of k adds to it.
init = sch.decompose_reduction(C, j0)
sch.vectorize(sch.get_loops(init)[-1])
sch.unroll(i2)
sch.unroll(j2)
sch.vectorize(j3)
sch.parallel(i0)
