# Eight numbers at a time, by name instead of by the compiler's choice.
sch = tir.Schedule(IRModule)
C = sch.get_block("C", "main")
(i,) = sch.get_loops(C)
i0, i1, i2 = sch.split(i, factors=[None, 512, 8])
sch.vectorize(i2)
