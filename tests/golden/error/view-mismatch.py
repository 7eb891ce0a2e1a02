# run: not tenon run --interpret --random %s
@T.prim_func
def f(A: T.Buffer((16, 16), "float32")):
    with T.block("b"):
        T.reads(A[0:4, 0:4])
        T.writes(A[0:4, 0:4])
        B = T.match_buffer(A[0:4, 0:4], (4, 4), strides=[4, 1])
        B[0, 0] = T.float32(0)
# expect:
%s:4:5: error: f: a stride of matched buffer 'B': expected 4, got 16 [view-mismatch]
    with T.block("b"):
    ^~~~
