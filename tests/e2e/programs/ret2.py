# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((4,), "float32")) -> T.float32:
    return A[0] + A[3]
