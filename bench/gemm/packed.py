# C [M, N] = A [M, K] @ B [K, N]: what is left of the three loops after a schedule that blocks all three
# axes, copies a panel of B and a block of A into the order in which they are read, and keeps MR x NR
# numbers of C in registers while ki runs. Read with values for M, N, K, MR, NR, KC, MC, NC (multiples of
# NR and MR where they count them) and V, the lanes of a vector.
from tvm.script import tir as T


@T.prim_func
def main(
    A: T.Buffer((M, K), "float32"), B: T.Buffer((K, N), "float32"), C: T.Buffer((M, N), "float32")
):
    T.func_attr({"tir.noalias": True})
    A_pack = T.alloc_buffer(((M + MR - 1) // MR, K, MR))
    B_pack = T.alloc_buffer(((N + NR - 1) // NR, K, NR))
    for i, jv in T.grid(M, (N + V - 1) // V):
        for ji in T.vectorized(V):
            with T.block("C_init"):
                vi = T.axis.spatial(M, i)
                vj = T.axis.spatial(N, jv * V + ji)
                T.where(jv * V + ji < N)
                C[vi, vj] = T.float32(0)
    for jc in range((N + NC - 1) // NC):
        for ko in range((K + KC - 1) // KC):
            for jo, ki in T.grid(NC // NR, KC):
                for ji in T.vectorized(NR):
                    with T.block("B_pack"):
                        vk = T.axis.spatial(K, ko * KC + ki)
                        vj = T.axis.spatial(N, jc * NC + jo * NR + ji)
                        T.where(ko * KC + ki < K and jc * NC + jo * NR + ji < N)
                        B_pack[vj // NR, vk, vj % NR] = B[vk, vj]
            for ic in T.parallel((M + MC - 1) // MC):
                for io, ki in T.grid(MC // MR, KC):
                    for ii in T.unroll(MR):
                        with T.block("A_pack"):
                            vi = T.axis.spatial(M, ic * MC + io * MR + ii)
                            vk = T.axis.spatial(K, ko * KC + ki)
                            T.where(ko * KC + ki < K and ic * MC + io * MR + ii < M)
                            A_pack[vi // MR, vk, vi % MR] = A[vi, vk]
                for jo in range(NC // NR):
                    for io in range(MC // MR):
                        for ki in range(KC):
                            for ii in T.unroll(MR):
                                for jv in T.unroll(NR // V):
                                    for ji in T.vectorized(V):
                                        with T.block("C_update"):
                                            vi = T.axis.spatial(M, ic * MC + io * MR + ii)
                                            vj = T.axis.spatial(N, jc * NC + jo * NR + jv * V + ji)
                                            vk = T.axis.reduce(K, ko * KC + ki)
                                            T.where(
                                                ic * MC + io * MR + ii < M
                                                and jc * NC + jo * NR + jv * V + ji < N
                                                and ko * KC + ki < K
                                            )
                                            C[vi, vj] = (
                                                C[vi, vj]
                                                + A_pack[vi // MR, vk, vi % MR]
                                                * B_pack[vj // NR, vk, vj % NR]
                                            )
