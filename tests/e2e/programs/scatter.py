# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((16,), "float32"), O: T.Buffer((64,), "float32"), G: T.Buffer((16,), "float32"), X: T.Buffer((16,), "int32"), S: T.Buffer((4, 4), "float32")):
    for i in T.vectorized(16):
        O[i * 3 + 1] = A[15 - i]
    for i in T.vectorized(16):
        G[i] = A[(X[i] * X[i] + i) % 16] + T.Cast("float32", i // 4)
    for i in T.vectorized(16):
        S[i // 4, i % 4] = A[i % 4 * 4 + i // 4]
