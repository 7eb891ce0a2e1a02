# The heart of a 3x3 convolution in the layout [C/8][H][W][8], written by hand: 1 x 6 pixels of 2 blocks of 8
# output channels stay in registers, 12 accumulators, while all 64 input channels and the 9 taps pass by.
# I holds the 3 rows of a padded image, 56 pixels wide, that the tile needs; W is packed
# [output block][input block][row][column][input channel][8 output channels]. ReLU on the way out. For AVX2: 12 + 2 + 1 of 16 registers.
#
#   tenon bench conv_1x6x2.py --func conv_1x6x2
#   tenon compile conv_1x6x2.py --target x86-64-v3 -o conv_1x6x2.s
from tvm.script import tir as T


@T.prim_func
def conv_1x6x2(
    I: T.Buffer((8, 3, 58, 8), "float32"),
    W: T.Buffer((2, 8, 3, 3, 8, 8), "float32"),
    O: T.Buffer((2, 1, 56, 8), "float32"),
):
    T.func_attr({"tir.noalias": True})
    acc = T.alloc_buffer((2, 1, 6, 8), "float32", scope="local")
    for b in T.unroll(2):
        for y in T.unroll(1):
            for x in T.unroll(6):
                acc[b, y, x, T.Ramp(0, 1, 8)] = T.Broadcast(T.float32(0), 8)
    for cb, kh, kw in T.grid(8, 3, 3):
        for c_outer in range(2):
            for c_inner in T.unroll(4):
                for y in T.unroll(1):
                    for x in T.unroll(6):
                        for b in T.unroll(2):
                            acc[b, y, x, T.Ramp(0, 1, 8)] = (
                                acc[b, y, x, T.Ramp(0, 1, 8)]
                                + T.Broadcast(I[cb, y + kh, x + kw, c_outer * 4 + c_inner], 8)
                                * W[b, cb, kh, kw, c_outer * 4 + c_inner, T.Ramp(0, 1, 8)]
                            )
    for b in T.unroll(2):
        for y in T.unroll(1):
            for x in T.unroll(6):
                O[b, y, x, T.Ramp(0, 1, 8)] = T.max(
                    acc[b, y, x, T.Ramp(0, 1, 8)], T.Broadcast(T.float32(0), 8)
                )
