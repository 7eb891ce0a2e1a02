# C = A @ B in float32: three loops, as the definition has them. The schedules beside it take it from here. Read
# with values for M, N and K.
from tvm.script import tir as T


@T.prim_func
def main(
    A: T.Buffer((M, K), "float32"), B: T.Buffer((K, N), "float32"), C: T.Buffer((M, N), "float32")
):
    T.func_attr({"tir.noalias": True})
    for i, j, k in T.grid(M, N, K):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
