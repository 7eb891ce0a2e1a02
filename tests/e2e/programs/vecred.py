# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((5, 9), "float32"), B: T.Buffer((9, 19), "float32"), C: T.Buffer((5, 19), "float32")):
    for i in T.parallel(5):
        for jo in range(5):
            for k in range(9):
                for ji in T.vectorized(4):
                    with T.block("mm"):
                        vi = T.axis.spatial(5, i)
                        vj = T.axis.spatial(19, jo * 4 + ji)
                        vk = T.axis.reduce(9, k)
                        T.where(jo * 4 + ji < 19)
                        with T.init():
                            C[vi, vj] = T.float32(0)
                        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
