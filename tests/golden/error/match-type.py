# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16, 16), "float32")):
    with T.block("b"):
        T.reads(A[0:4, 0:4])
        T.writes(A[0:4, 0:4])
        B = T.match_buffer(A[0:4, 0:4], (4, 4), "int32")
        C = T.match_buffer(A[0:4, 0:4], (2, 2, 4))
        C[0, 0, 0] = T.float32(0)
# expect:
%s:4:5: error: block 'b': buffer 'B' is of int32 and 'A', which it matches, of float32 [match-type]
    with T.block("b"):
    ^~~~
%s:4:5: error: block 'b': buffer 'C' has 3 dimensions and 'A', which it matches, 2 [match-type]
    with T.block("b"):
    ^~~~
