# One loop, as it is written. The compiler makes vectors of it by itself.
sch = tir.Schedule(IRModule)
