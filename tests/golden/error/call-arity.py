# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def main(A: T.Buffer((8,), "float32")):
        M.f(A)

    @T.prim_func
    def f(A: T.Buffer((8,), "float32"), n: T.int32):
        A[n] = T.float32(1)
# expect:
%s:6:9: error: 'f' takes 2 arguments, got 1 [call-arity]
        M.f(A)
        ^~~~~~
