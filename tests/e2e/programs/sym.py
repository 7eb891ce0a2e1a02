# run: --random --size m=3 --size n=5
# run: --random --size m=1 --size n=1
# run: --random --size m=0 --size n=4
# run: --random --size m=4 --size n=0
from tvm.script import tir as T


@T.prim_func
def main(a: T.handle, b: T.handle, c: T.handle):
    m, n = T.int64(), T.int64()
    s = T.int64()
    A = T.match_buffer(a, (m, n), "float32", strides=[n, 1])
    B = T.match_buffer(b, (n, m), "float32")
    C = T.match_buffer(c, (m, m), "float32")
    for i, j, k in T.grid(m, m, n):
        with T.block("mm"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
