# run: tenon opt --passes=simplify %s
# Symbolic extents: what a loop says about them is used, and no more.
@T.prim_func
def f(a: T.handle, b: T.handle):
    n = T.int64()
    m = T.int64()
    A = T.match_buffer(a, (n, m), "float32")
    B = T.match_buffer(b, (n * m,), "float32")
    for i, j in T.grid(n, m):
        if i < n and 0 <= j:
            B[i * m + j] = A[(i * m + j) // m, (i * m + j) % m]
        if j + 1 < m:
            B[i * m + T.min(j + 1, m - 1)] = T.float32(0)
        if i * 4 + 3 < n * 4:
            B[i * m] = T.float32(2)
    if n < 0:
        B[0] = T.float32(1)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (n, m))
        B = T.match_buffer(b, (n * m,))
        for i, j in T.grid(n, m):
            B[m * i + j] = A[i, j]
            if j < m - T.int64(1):
                B[m * i + j + T.int64(1)] = T.float32(0.0)
            B[m * i] = T.float32(2.0)
