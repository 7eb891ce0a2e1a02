# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    p, q = T.allocate([4], "float32", "global")
    T.allocate([4], "float32", "global")
    T.alloc_buffer((4,))
    for i in range(4):
        with T.block("b"):
            vi, vj = T.axis.spatial(4, i)
            A[i] = 1.0
# expect:
%s:4:12: error: the result of T.allocate is given one name: name = T.allocate(...) [needs-one-name]
    p, q = T.allocate([4], "float32", "global")
           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
%s:5:5: error: the result of T.allocate is given one name: name = T.allocate(...) [needs-one-name]
    T.allocate([4], "float32", "global")
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
%s:6:5: error: the result of T.alloc_buffer is given one name: name = T.alloc_buffer(...) [needs-one-name]
    T.alloc_buffer((4,))
    ^~~~~~~~~~~~~~~~~~~~
%s:9:22: error: an axis is given one name: vi = T.axis.spatial(extent, binding) [needs-one-name]
            vi, vj = T.axis.spatial(4, i)
                     ^~~~~~~~~~~~~~~~~~~~
