# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((8,), "float32"), O: T.Buffer((8,), "float32")):
    w = T.float32()
    for i in range(8):
        x = A[i] * T.float32(2)
        y: T.float32 = x + T.float32(1)
        A[i] = T.float32(0)
        with T.LetStmt(x * y) as z:
            O[i] = z + x + T.Let(w + w, where={w: A[i] + y})
