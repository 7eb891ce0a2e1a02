# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def main(A: T.Buffer((8,), "int32")):
        x = M.g(A)
        A[0] = M.g(A)
        M.main(A) + 1
        A[1] = M.g

    @T.prim_func
    def g(A: T.Buffer((8,), "int32")):
        A[0] = 1
# expect:
%s:6:9: error: 'x' is given no value [not-an-expression]
        x = M.g(A)
        ^~~~~~~~~~
%s:7:16: error: expected an expression, got a call without a result [not-an-expression]
        A[0] = M.g(A)
               ^~~~~~
%s:8:9: error: expected an expression, got a call without a result [not-an-expression]
        M.main(A) + 1
        ^~~~~~~~~~~~~
%s:9:16: error: expected an expression, got a function of the module [not-an-expression]
        A[1] = M.g
               ^~~
