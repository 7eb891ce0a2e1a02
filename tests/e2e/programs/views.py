# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16, 16), "float32")):
    for i, j in T.grid(4, 4):
        with T.block("o"):
            vi, vj = T.axis.remap("SS", [i, j])
            s = T.int32()
            A4 = T.match_buffer(A[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4), strides=[16, 1], offset_factor=4)
            B4 = T.match_buffer(B[vj * 4:vj * 4 + 4, vi * 4:vi * 4 + 4], (4, 4), strides=[s, 1], offset_factor=4)
            for x, y in T.grid(4, 4):
                with T.block("in"):
                    vx, vy = T.axis.remap("SS", [x, y])
                    R1 = T.match_buffer(A4[vx, 0:4], (4,), offset_factor=1)
                    B4[vy, vx] = R1[vy] + T.Cast("float32", s)
