# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((8,), "bool"), B: T.Buffer((8,), "bool"), O: T.Buffer((8,), "bool"), P: T.Buffer((8,), "int32"), Q: T.Buffer((8,), "bool"), F: T.Buffer((8,), "float32")):
    for i in T.vectorized(8):
        with T.block("b"):
            vi = T.axis.spatial(8, i)
            O[vi] = A[vi] and not B[vi] or vi == 3
            P[vi] = A[vi] + B[vi]
            Q[vi] = T.Select(A[vi], B[vi], not A[vi])
            F[vi] = T.Cast("float32", A[vi]) - T.if_then_else(B[vi], T.float32(1), T.float32(2))
