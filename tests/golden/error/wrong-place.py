# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    T.reads(A[0])
    vi = T.axis.spatial(4, n)
    with T.init():
        A[0] = A[1]
    for i in range(4):
        B = T.alloc_buffer((4,))
        A[i] = A[0]
    import math
    def g(x):
        pass
# expect:
%s:4:5: error: T.reads stands directly in a block: with T.block(...) [wrong-place]
    T.reads(A[0])
    ^~~~~~~~~~~~~
%s:5:10: error: T.axis.spatial stands directly in a block: with T.block(...) [wrong-place]
    vi = T.axis.spatial(4, n)
         ^~~~~~~~~~~~~~~~~~~~
%s:6:5: error: T.init stands directly in a block: with T.block(...) [wrong-place]
    with T.init():
    ^~~~
%s:9:13: error: T.alloc_buffer stands directly in a block or in the function [wrong-place]
        B = T.alloc_buffer((4,))
            ^~~~~~~~~~~~~~~~~~~~
%s:11:5: error: an import cannot stand in a function [wrong-place]
    import math
    ^~~~~~~~~~~
%s:12:5: error: a definition cannot stand in a @T.prim_func [wrong-place]
    def g(x):
    ^~~~~~~~
