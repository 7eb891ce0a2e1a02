# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    with T.realize(A[0:4], "global"):
        A[0] = A[1]
    B = T.alloc_buffer((4,))
    C = T.decl_buffer((4,), data=B.data)
    with T.realize(C[0:4]):
        C[0] = A[1]
# expect:
%s:4:20: error: buffer 'A' has memory already [given-twice]
    with T.realize(A[0:4], "global"):
                   ^~~~~~
  hint: declare it by B = T.Buffer(shape, dtype)
%s:8:20: error: buffer 'C' has memory already [given-twice]
    with T.realize(C[0:4]):
                   ^~~~~~
  hint: declare it by B = T.Buffer(shape, dtype)
