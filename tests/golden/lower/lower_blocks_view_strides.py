# run: tenon opt --passes=lower_blocks %s
# What a view's declaration leaves open is bound where its block was.
@T.prim_func
def f(a: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n, 64), "float32")
    for i in range(4):
        with T.block("tile"):
            vi = T.axis.spatial(4, i)
            T.reads()
            T.writes(A[vi, vi * 16:vi * 16 + 16])
            s = T.int32()
            o = T.int32()
            V = T.match_buffer(A[vi, vi * 16:vi * 16 + 16], (16,), strides=[s], elem_offset=o)
            T.evaluate(T.call_extern("int32", "fill", V.data, V.elem_offset, V.strides[0]))
            V[3] = T.float32(1)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n, 64))
        for i in range(4):
            s: T.int32 = 1
            o: T.int32 = T.Cast("int32", T.Cast("int64", i) * T.int64(64) + T.Cast("int64", i * 16))
            T.call_extern("int32", "fill", A.data, o, s)
            A[i, i * 16 + 3] = T.float32(1.0)
