# run: not tenon run --interpret --random %s
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    p: T.handle = T.reinterpret("handle", T.uint64(4096))
    B = T.decl_buffer((2,), data=p)
    A[0] = B[0]
# expect:
%s:5:9: error: f: buffer 'B' is over a pointer whose memory is not known here [unknown-memory]
    B = T.decl_buffer((2,), data=p)
        ^~~~~~~~~~~~~~~~~~~~~~~~~~~
