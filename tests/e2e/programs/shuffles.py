# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((8,), "float32"), O: T.Buffer((8,), "float32"), P: T.Buffer((2,), "float32")):
    x = A[0:8]
    O[0:4] = T.Shuffle([x], [7, 1, 3, 0])
    O[4:8] = T.Shuffle([A[0:4], A[4:8]], [0, 4, 1, 5])
    P[0] = T.Shuffle([x], [6])
    P[1] = T.Shuffle([A[0], A[1]], [1])
