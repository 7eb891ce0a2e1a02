# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((13,), "float32"), O: T.Buffer((13,), "float32"), S: T.Buffer((1,), "float32")):
    for io in T.parallel(4):
        for ii in T.vectorized(4):
            with T.block("b"):
                vi = T.axis.spatial(13, io * 4 + ii)
                T.where(io * 4 + ii < 13)
                O[vi] = A[vi] * 2.0
    for io in T.serial(4):
        for ii in T.unroll(4):
            with T.block("s"):
                vk = T.axis.reduce(13, io * 4 + ii)
                T.where(io * 4 + ii < 13)
                with T.init():
                    S[0] = T.float32(0)
                S[0] = S[0] + A[vk]
