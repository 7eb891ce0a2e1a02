# The heart of a 3x3 convolution in the layout [C/16][H][W][16], written by hand: 2 x 7 pixels of 2 blocks of 16
# output channels stay in registers, 28 accumulators, while all 64 input channels and the 9 taps pass by.
# I holds the 4 rows of a padded image, 56 pixels wide, that the tile needs; W is packed
# [output block][input block][row][column][input channel][16 output channels]. ReLU on the way out. For AVX-512: 28 + 2 + 1 of 32 registers.
#
#   tenon bench conv_2x7x2.py --func conv_2x7x2
#   tenon compile conv_2x7x2.py --target x86-64-v4 -o conv_2x7x2.s
from tvm.script import tir as T


@T.prim_func
def conv_2x7x2(
    I: T.Buffer((4, 4, 58, 16), "float32"),
    W: T.Buffer((2, 4, 3, 3, 16, 16), "float32"),
    O: T.Buffer((2, 2, 56, 16), "float32"),
):
    T.func_attr({"tir.noalias": True})
    acc = T.alloc_buffer((2, 2, 7, 16), "float32", scope="local")
    for b in T.unroll(2):
        for y in T.unroll(2):
            for x in T.unroll(7):
                acc[b, y, x, T.Ramp(0, 1, 16)] = T.Broadcast(T.float32(0), 16)
    for cb, kh, kw in T.grid(4, 3, 3):
        for c_outer in range(4):
            for c_inner in T.unroll(4):
                for y in T.unroll(2):
                    for x in T.unroll(7):
                        for b in T.unroll(2):
                            acc[b, y, x, T.Ramp(0, 1, 16)] = (
                                acc[b, y, x, T.Ramp(0, 1, 16)]
                                + T.Broadcast(I[cb, y + kh, x + kw, c_outer * 4 + c_inner], 16)
                                * W[b, cb, kh, kw, c_outer * 4 + c_inner, T.Ramp(0, 1, 16)]
                            )
    for b in T.unroll(2):
        for y in T.unroll(2):
            for x in T.unroll(7):
                O[b, y, x, T.Ramp(0, 1, 16)] = T.max(
                    acc[b, y, x, T.Ramp(0, 1, 16)], T.Broadcast(T.float32(0), 16)
                )
