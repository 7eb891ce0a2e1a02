# run: tenon fmt %s
# What a buffer is asked for: its pointer, strides and offset.
@T.prim_func
def f(a: T.handle, out: T.Buffer((4,), "int64")):
    s = T.int64()
    o = T.int64()
    A = T.match_buffer(a, (8, 8), "float32", strides=[s, 1], elem_offset=o)
    out[0] = A.strides[0]
    out[1] = A.elem_offset
    T.evaluate(T.call_extern("int32", "f", A.data))
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, out: T.Buffer((4,), "int64")):
        s = T.int64()
        o = T.int64()
        A = T.match_buffer(a, (8, 8), strides=(s, 1), elem_offset=o)
        out[0] = s
        out[1] = o
        T.call_extern("int32", "f", A.data)
