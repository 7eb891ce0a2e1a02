# C = A @ B in float32, B packed beforehand as panels [N / NR, K, NR], as weights are: three loops, as the definition
# has them. Read with values for M, N, K and NR, the columns of a panel.
from tvm.script import tir as T


@T.prim_func
def main(
    A: T.Buffer((M, K), "float32"),
    B: T.Buffer(((N + NR - 1) // NR, K, NR), "float32"),
    C: T.Buffer((M, N), "float32"),
):
    T.func_attr({"tir.noalias": True})
    for i, j, k in T.grid(M, N, K):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj // NR, vk, vj % NR]
