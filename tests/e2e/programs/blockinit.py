# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((6, 5), "float32"), O: T.Buffer((6,), "float32"), M: T.Buffer((1,), "float32")):
    for i in T.parallel(3):
        with T.block("outer"):
            vo = T.axis.spatial(3, i)
            for ii, k in T.grid(2, 5):
                with T.block("sum"):
                    vi = T.axis.spatial(6, vo * 2 + ii)
                    vk = T.axis.reduce(5, k)
                    with T.init():
                        O[vi] = T.float32(0)
                    O[vi] += A[vi, vk]
    for i, k in T.grid(6, 5):
        with T.block("max"):
            vi, vk = T.axis.remap("RR", [i, k])
            with T.init():
                M[0] = T.min_value("float32")
            M[0] = T.max(M[0], A[vi, vk])
