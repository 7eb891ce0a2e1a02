# C [M, N] = A [M, K] @ B, B packed beforehand as panels [N / NR, K, NR], as weights are: what is left of the
# three loops after a schedule that reads A in place and keeps MR x NR numbers of C in registers for all of K
# (a write cache). Read with values for M, N, K, MR, NR, NC (columns of a block, a multiple of NR) and V, the lanes
# of a vector.
from tvm.script import tir as T


@T.prim_func
def main(
    A: T.Buffer((M, K), "float32"),
    B: T.Buffer(((N + NR - 1) // NR, K, NR), "float32"),
    C: T.Buffer((M, N), "float32"),
):
    T.func_attr({"tir.noalias": True})
    C_local = T.alloc_buffer((M, N), scope="local")
    for jc in T.parallel((N + NC - 1) // NC):
        for jo, io in T.grid(NC // NR, (M + MR - 1) // MR):
            for ii in T.unroll(MR):
                for jv in T.unroll(NR // V):
                    for ji in T.vectorized(V):
                        with T.block("C_init"):
                            vi = T.axis.spatial(M, io * MR + ii)
                            vj = T.axis.spatial(N, jc * NC + jo * NR + jv * V + ji)
                            T.where(io * MR + ii < M and jc * NC + jo * NR + jv * V + ji < N)
                            C_local[vi, vj] = T.float32(0)
            for k in range(K):
                for ii in T.unroll(MR):
                    for jv in T.unroll(NR // V):
                        for ji in T.vectorized(V):
                            with T.block("C_update"):
                                vi = T.axis.spatial(M, io * MR + ii)
                                vj = T.axis.spatial(N, jc * NC + jo * NR + jv * V + ji)
                                vk = T.axis.reduce(K, k)
                                T.where(io * MR + ii < M and jc * NC + jo * NR + jv * V + ji < N)
                                C_local[vi, vj] = C_local[vi, vj] + A[vi, vk] * B[vj // NR, vk, vj % NR]
            for ii in T.unroll(MR):
                for jv in T.unroll(NR // V):
                    for ji in T.vectorized(V):
                        with T.block("C"):
                            vi = T.axis.spatial(M, io * MR + ii)
                            vj = T.axis.spatial(N, jc * NC + jo * NR + jv * V + ji)
                            T.where(io * MR + ii < M and jc * NC + jo * NR + jv * V + ji < N)
                            C[vi, vj] = C_local[vi, vj]
