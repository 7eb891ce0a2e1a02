# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((0, 4), "float32"), O: T.Buffer((0, 4), "float32"), S: T.Buffer((4,), "float32"), E: T.Buffer((1, 1), "float32")):
    for i, j in T.grid(0, 4):
        with T.block("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            O[vi, vj] = A[vi, vj]
    for j, k in T.grid(4, 0):
        with T.block("s"):
            vj, vk = T.axis.remap("SR", [j, k])
            with T.init():
                S[vj] = T.float32(0)
            S[vj] = S[vj] + A[vk, vj]
    for i, j in T.grid(1, 1):
        with T.block("e"):
            vi, vj = T.axis.remap("SS", [i, j])
            E[vi, vj] = T.float32(7)
