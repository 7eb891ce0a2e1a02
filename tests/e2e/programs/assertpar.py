# run: --random
# fails: too far out
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), "float32")):
    for i in T.parallel(64):
        assert i < 20, "too far out"
        A[i] = T.float32(1)
