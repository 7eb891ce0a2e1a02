# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((16,), "float32"), O: T.Buffer((16,), "float32"), W: T.Buffer((16,), "int32"), C: T.Buffer((1,), "int32")):
    for i in T.vectorized(16):
        if A[i] > T.float32(0):
            O[i] = T.sqrt(A[i])
        else:
            if i < 5:
                O[i] = T.float32(7)
            else:
                O[i] = O[i] - T.float32(1)
    for i in T.vectorized(16):
        for k in range(i):
            W[i] = W[i] + k
    for i in T.vectorized(16):
        if i == 9:
            C[0] = i
