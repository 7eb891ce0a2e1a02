# run: tenon fmt %s
# Handle parameters and every keyword of match_buffer; sizes and strides by name.
@T.prim_func
def f(a: T.handle, b: T.handle, c: T.handle, d: T.handle):
    m, n = T.int64(), T.int64()
    s = T.int64()
    A = T.match_buffer(a, (m, n), "float32")
    B = T.match_buffer(b, (m, n), "float16", strides=[s, 1], elem_offset=16, scope="global", align=16, offset_factor=4)
    C = T.match_buffer(c, (8, 16), axis_separators=[1])
    D = T.match_buffer(d, (n * 4 + 1,), "int32")
    for i, j in T.grid(m, n):
        B[i, j] = T.Cast("float16", A[i, j])
    C[0, 0] = T.float32(0)
    D[0] = 1
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle, c: T.handle, d: T.handle):
        m = T.int64()
        n = T.int64()
        A = T.match_buffer(a, (m, n))
        s = T.int64()
        B = T.match_buffer(b, (m, n), "float16", strides=(s, 1), elem_offset=16, align=16, offset_factor=4)
        C = T.match_buffer(c, (8, 16), axis_separators=[1])
        D = T.match_buffer(d, (n * T.int64(4) + T.int64(1),), "int32")
        for i, j in T.grid(m, n):
            B[i, j] = T.Cast("float16", A[i, j])
        C[0, 0] = T.float32(0.0)
        D[0] = 1
