# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((4, 6, 5), "float32"), B: T.Buffer((4,), "float32"), Cn: T.Buffer((4,), "int32")):
    for k0, i, k1 in T.grid(6, 4, 5):
        with T.block("o"):
            v0, vi, v1 = T.axis.remap("RSR", [k0, i, k1])
            with T.init():
                B[vi] = T.float32(0)
                Cn[vi] = 0
            B[vi] = B[vi] + A[vi, v0, v1]
            Cn[vi] = Cn[vi] + v0 * v1
