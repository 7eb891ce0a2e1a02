# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((37, 53), "float32"), O: T.Buffer((37,), "float32"), P: T.Buffer((53,), "float32")):
    B = T.alloc_buffer((37, 53), "float32")
    for i in T.parallel(37):
        L = T.allocate([53], "float32", "local")
        LB = T.decl_buffer((53,), "float32", data=L, scope="local")
        for j in T.vectorized(53):
            LB[j] = A[i, j] * T.float32(3)
        for j in range(53):
            with T.block("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = LB[vj] + T.float32(1)
    for i, j in T.grid(37, 53):
        with T.block("s"):
            vi, vj = T.axis.remap("SR", [i, j])
            with T.init():
                O[vi] = T.float32(0)
            O[vi] = O[vi] + B[vi, vj]
    for j, i in T.grid(53, 37):
        with T.block("s2"):
            vj, vi = T.axis.remap("SR", [j, i])
            with T.init():
                P[vj] = T.float32(-1e30)
            P[vj] = T.max(P[vj], B[vi, vj])
