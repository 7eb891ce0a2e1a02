# run: not tenon check %s
# an axis and a buffer that are there already
@T.prim_func
def f(A: T.Buffer((4,), "float32"), A: T.Buffer((4,), "float32")):
    B = T.alloc_buffer((4,))
    B = T.alloc_buffer((8,))
    for i in range(4):
        with T.block("b"):
            vi = T.axis.spatial(4, i)
            vi = T.axis.spatial(4, i)
            B[vi] = A[vi]
# expect:
%s:4:37: error: 'A' is defined already in this block; a value cannot be changed: use another name, or a buffer for what changes [name-reused]
def f(A: T.Buffer((4,), "float32"), A: T.Buffer((4,), "float32")):
                                    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
%s:6:5: error: 'B' is defined already in this block; a value cannot be changed: use another name, or a buffer for what changes [name-reused]
    B = T.alloc_buffer((8,))
    ^
%s:10:13: error: 'vi' is defined already in this block; a value cannot be changed: use another name, or a buffer for what changes [name-reused]
            vi = T.axis.spatial(4, i)
            ^~
