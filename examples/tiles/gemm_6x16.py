# The heart of a matrix product, written by hand: 6 rows times 16 columns of C stay in registers
# while k runs, four a turn, 12 accumulators of 8 lanes. A is read row by row and broadcast, as it lies in memory;
# B is packed so that the 16 columns of one k lie side by side. For AVX2: 12 + 2 + 1 of 16 registers.
#
#   tenon bench gemm_6x16.py --func gemm_6x16
#   tenon compile gemm_6x16.py --target x86-64-v3 -o gemm_6x16.s
from tvm.script import tir as T


@T.prim_func
def gemm_6x16(
    A: T.Buffer((6, 768), "float32"),
    B: T.Buffer((768, 16), "float32"),
    C: T.Buffer((6, 16), "float32"),
):
    T.func_attr({"tir.noalias": True})
    acc = T.alloc_buffer((6, 16), "float32", scope="local")
    for i in T.unroll(6):
        for j in T.unroll(2):
            acc[i, T.Ramp(j * 8, 1, 8)] = T.Broadcast(T.float32(0), 8)
    for k_outer in range(192):
        for k_inner in T.unroll(4):
            for i in T.unroll(6):
                for j in T.unroll(2):
                    acc[i, T.Ramp(j * 8, 1, 8)] = (
                        acc[i, T.Ramp(j * 8, 1, 8)]
                        + T.Broadcast(A[i, k_outer * 4 + k_inner], 8)
                        * B[k_outer * 4 + k_inner, T.Ramp(j * 8, 1, 8)]
                    )
    for i in T.unroll(6):
        for j in T.unroll(2):
            C[i, T.Ramp(j * 8, 1, 8)] = acc[i, T.Ramp(j * 8, 1, 8)]
