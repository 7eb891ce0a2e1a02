# run: not tenon check %s
@T.prim_func
def f(a: T.handle, b: T.handle, n: T.int32):
    A = T.match_buffer(a, (4, 4), strides=[1])
    B = T.match_buffer(b, (-4,))
    C = T.decl_buffer((4,), data=n)
    D = T.alloc_buffer((1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))
    E = T.alloc_buffer((4,), align=-1)
# expect:
%s:4:43: error: 1 strides for 2 dimensions [bad-buffer]
    A = T.match_buffer(a, (4, 4), strides=[1])
                                          ^~~
%s:5:27: error: dimension 0 of 'B' is negative: -4 [bad-buffer]
    B = T.match_buffer(b, (-4,))
                          ^~~~~
%s:6:34: error: expected a pointer variable, as from T.allocate or A.data, got an expression [bad-buffer]
    C = T.decl_buffer((4,), data=n)
                                 ^
%s:7:24: error: 17 dimensions: at most 16 [bad-buffer]
    D = T.alloc_buffer((1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))
                       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
