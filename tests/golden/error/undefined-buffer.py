# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    B = T.Buffer((4,), "float32")
    with T.realize(B[0:4]):
        B[0] = A[1]
    A[0] = B[0]
# expect:
%s:7:5: error: buffer 'B' is used but not bound here [undefined-buffer]
    A[0] = B[0]
    ^~~~~~~~~~~
