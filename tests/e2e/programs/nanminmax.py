# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((4,), "float32"), O: T.Buffer((16,), "float32"), P: T.Buffer((16,), "float32"), C: T.Buffer((16,), "bool"), D: T.Buffer((16,), "bool")):
    X = T.alloc_buffer((4,))
    X[0] = T.float32("nan")
    X[1] = T.float32(-0.0)
    X[2] = T.float32(0.0)
    X[3] = T.float32("-inf")
    for i, j in T.grid(4, 4):
        O[i * 4 + j] = T.max(X[i], X[j])
        P[i * 4 + j] = T.min(X[i], X[j])
        C[i * 4 + j] = X[i] != X[j]
        D[i * 4 + j] = not (X[i] <= X[j])
