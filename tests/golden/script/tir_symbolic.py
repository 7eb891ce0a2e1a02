# run: tenon fmt %s
# Symbolic sizes of both widths, one at a time and as size variables.
@T.prim_func
def f(a: T.handle, b: T.handle):
    n = T.int32()
    m = T.int32(is_size_var=True)
    A = T.match_buffer(a, (n, m))
    B = T.match_buffer(b, (n * m,))
    for i, j in T.grid(n, m):
        B[i * m + j] = A[i, j]
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        n = T.int32()
        m = T.int32()
        A = T.match_buffer(a, (n, m))
        B = T.match_buffer(b, (n * m,))
        for i, j in T.grid(n, m):
            B[i * m + j] = A[i, j]
