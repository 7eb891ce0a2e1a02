# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    x = A[0]
    x = A[1]
    B = T.alloc_buffer((4,))
    B = T.alloc_buffer((4,))
    A[0] = x
# expect:
%s:5:5: error: 'x' is defined already in this block; a value cannot be changed: use another name, or a buffer for what changes [name-reused]
    x = A[1]
    ^
%s:7:5: error: 'B' is defined already in this block; a value cannot be changed: use another name, or a buffer for what changes [name-reused]
    B = T.alloc_buffer((4,))
    ^
