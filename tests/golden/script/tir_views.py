# run: tenon fmt %s
# Views of buffers: shape and type of a region are taken over, strides in quotes are variables of the
# match, T.Buffer with data= is a declaration; a block without realisation runs as it stands.
@T.prim_func
def f(a: T.handle, B: T.Buffer((16, 16), "int8"), n: T.int32):
    A = T.match_buffer(a, (n, 8), strides=("s0", "s1"))
    with T.block("view", no_realize=True):
        T.reads(B[n:n + 4, 0:4])
        T.writes(A[0, 0])
        V = T.match_buffer(B[n:n + 4, 0:4])
        W = T.match_buffer(B[n:n + 4, 0:4], strides=["s", 1], offset_factor=4)
        A[0, 0] = T.Cast("float32", V[1, 2] + W[2, 1])
        T.evaluate(W.strides[0] + A.strides[1])
    C = T.Buffer((256,), "int8", data=B.data)
    C[0] = C[1]
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, B: T.Buffer((16, 16), "int8"), n: T.int32):
        s0 = T.int32()
        s1 = T.int32()
        A = T.match_buffer(a, (n, 8), strides=(s0, s1))
        with T.block("view"):
            T.reads(B[n:n + 4, 0:4])
            T.writes(A[0, 0])
            V = T.match_buffer(B[n:n + 4, 0:4], (4, 4), "int8")
            s = T.int32()
            W_elem_offset = T.int32()
            W = T.match_buffer(B[n:n + 4, 0:4], (4, 4), "int8", strides=(s, 1), elem_offset=W_elem_offset, offset_factor=4)
            A[0, 0] = T.Cast("float32", V[1, 2] + W[2, 1])
            T.evaluate(s + s1)
        C = T.decl_buffer((256,), "int8", data=B.data)
        C[0] = C[1]
