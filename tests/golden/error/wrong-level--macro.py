# run: not tenon check %s
@I.ir_module
class M:
    @R.macro
    def graph(a):
        b = R.add(a, a)
        return b
        c = R.add(b, b)

    @T.macro
    def loop(A):
        A[0] = A[1]

    @T.prim_func
    def f(A: T.Buffer((4,), "float32")):
        graph(A)

    @R.function
    def g(x: R.Tensor((4,), "float32")):
        loop(x)
        y = graph(x)
        return y
# expect:
%s:7:9: error: 'return' gives the value of a macro in its last line (in macro 'graph', called at line 21) [wrong-place]
        return b
        ^~~~~~~~
%s:16:9: error: an @R.macro belongs in a @R.function [wrong-level]
        graph(A)
        ^~~~~~~~
%s:20:9: error: a @T.macro belongs in a @T.prim_func [wrong-level]
        loop(x)
        ^~~~~~~
