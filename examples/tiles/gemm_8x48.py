# The heart of a matrix product, written by hand: 8 rows times 48 columns of C stay in registers
# while k runs, four a turn, 24 accumulators of 16 lanes. A is read row by row and broadcast, as it lies in memory;
# B is packed so that the 48 columns of one k lie side by side. For AVX-512: 24 + 3 + 1 of 32 registers.
#
#   tenon bench gemm_8x48.py --func gemm_8x48
#   tenon compile gemm_8x48.py --target x86-64-v4 -o gemm_8x48.s
from tvm.script import tir as T


@T.prim_func
def gemm_8x48(
    A: T.Buffer((8, 768), "float32"),
    B: T.Buffer((768, 48), "float32"),
    C: T.Buffer((8, 48), "float32"),
):
    T.func_attr({"tir.noalias": True})
    acc = T.alloc_buffer((8, 48), "float32", scope="local")
    for i in T.unroll(8):
        for j in T.unroll(3):
            acc[i, T.Ramp(j * 16, 1, 16)] = T.Broadcast(T.float32(0), 16)
    for k_outer in range(192):
        for k_inner in T.unroll(4):
            for i in T.unroll(8):
                for j in T.unroll(3):
                    acc[i, T.Ramp(j * 16, 1, 16)] = (
                        acc[i, T.Ramp(j * 16, 1, 16)]
                        + T.Broadcast(A[i, k_outer * 4 + k_inner], 16)
                        * B[k_outer * 4 + k_inner, T.Ramp(j * 16, 1, 16)]
                    )
    for i in T.unroll(8):
        for j in T.unroll(3):
            C[i, T.Ramp(j * 16, 1, 16)] = acc[i, T.Ramp(j * 16, 1, 16)]
