# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    with T.block("b"):
        vi, vj = T.axis.spatial(4, n)
        A[0] = A[1]
    p, q = T.allocate([4], "float32")
    T.alloc_buffer((4,))
# expect:
%s:5:18: error: an axis is given one name: vi = T.axis.spatial(extent, binding) [needs-one-name]
        vi, vj = T.axis.spatial(4, n)
                 ^~~~~~~~~~~~~~~~~~~~
%s:7:12: error: the result of T.allocate is given one name: name = T.allocate(...) [needs-one-name]
    p, q = T.allocate([4], "float32")
           ^~~~~~~~~~~~~~~~~~~~~~~~~~
%s:8:5: error: the result of T.alloc_buffer is given one name: name = T.alloc_buffer(...) [needs-one-name]
    T.alloc_buffer((4,))
    ^~~~~~~~~~~~~~~~~~~~
