# run: not tenon check %s
@T.prim_func
def f(a: T.handle, A: T.Buffer((4,), "float32"), n: T.int32):
    B = T.match_buffer(n, (4,))
    C = T.match_buffer(a, (4,))
    D = T.match_buffer(a, (4,))
    E = T.match_buffer(3 + n, (4,))
# expect:
%s:4:24: error: 'n' is no T.handle parameter [bad-match-buffer]
    B = T.match_buffer(n, (4,))
                       ^
%s:6:24: error: parameter 'a' has a buffer already [bad-match-buffer]
    D = T.match_buffer(a, (4,))
                       ^
%s:7:24: error: expected a T.handle parameter or a region of a buffer, got an expression [bad-match-buffer]
    E = T.match_buffer(3 + n, (4,))
                       ^~~~~
