# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((4, 6), "float32"), B: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 6):
        with T.block("o"):
            vi = T.axis.spatial(4, i)
            vk = T.axis.reduce((2, 8), k + 2)
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk - 2] * T.Cast("float32", vk)
