# run: not tenon check %s
@T.prim_func
def f(a: T.handle, n: T.int32, A: T.Buffer((16,), "float32")):
    B = T.match_buffer(n, (4,))
    C = T.match_buffer(A[0] + 1.0, (4,))
    for i in range(4):
        with T.block("b"):
            vi = T.axis.spatial(4, i)
            D = T.match_buffer(vi, (4,))
            A[vi] = 1.0
# expect:
%s:4:24: error: 'n' is no T.handle parameter [bad-match-buffer]
    B = T.match_buffer(n, (4,))
                       ^
%s:5:24: error: expected a T.handle parameter or a region of a buffer, got an expression [bad-match-buffer]
    C = T.match_buffer(A[0] + 1.0, (4,))
                       ^~~~~~~~~~
%s:9:17: error: T.match_buffer of a parameter stands directly in the function [wrong-place]
            D = T.match_buffer(vi, (4,))
                ^~~~~~~~~~~~~~~~~~~~~~~~
