# run: --random n=6
# run: --random n=0
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((6, 6), "float32"), O: T.Buffer((6, 6), "float32"), n: T.int32):
    for i in T.serial(1, n):
        for j in T.serial(i, 6):
            O[i, j] = A[j, i]
    for i in T.parallel(0, n):
        for j in T.parallel(i):
            O[i, j] = -A[i, j]
    for k in T.unroll(2, 5):
        O[0, k] = T.float32(k)
