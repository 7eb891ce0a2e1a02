# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((5,), "float32"), O: T.Buffer((9,), "float32"), P: T.Buffer((9,), "float32")):
    for i in range(9):
        with T.block("b"):
            vi = T.axis.spatial(9, i)
            O[vi] = T.if_then_else(vi >= 2 and vi < 7, A[vi - 2], T.float32(0))
            if vi < 5 and A[vi] > T.float32(0):
                P[vi] = A[vi]
            else:
                P[vi] = T.float32(-1)
