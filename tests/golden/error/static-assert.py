# run: not tenon check %s
N = 6
@T.prim_func
def f(A: T.Buffer((N,), "float32")):
    T.static_assert(N > 4, "more than four")
    T.static_assert(N % 4 == 0, "whole vectors only")
    A[0] = A[1]
# expect:
%s:6:21: error: T.static_assert does not hold: whole vectors only [static-assert]
    T.static_assert(N % 4 == 0, "whole vectors only")
                    ^~~~~~~~~~
