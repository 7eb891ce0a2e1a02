# run: --random n=0
# run: --random n=2
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32"), n: T.int32) -> T.int32:
    for i in range(4):
        if A[i] > T.float32(100):
            return i
        A[i] = T.float32(5)
    while n > 0:
        T.evaluate(0)
        return -1
    T.evaluate(T.ret(-2))
