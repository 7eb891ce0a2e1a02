# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((5,), "float32"), O: T.Buffer((16,), "float32")):
    for i in T.vectorized(16):
        with T.block("b"):
            vi = T.axis.spatial(16, i)
            O[vi] = T.if_then_else(vi >= 2 and vi < 7, A[vi - 2], T.float32(0))
