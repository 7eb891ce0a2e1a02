# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def main(A: T.Buffer((8,), "int32")):
        M.f(A)

    @T.prim_func
    def f(A: T.Buffer((8,), "int32")):
        return A[0]
# expect:
%s:6:9: error: 'f' gives int32 and is called for nothing [call-result]
        M.f(A)
        ^~~~~~
  hint: say its result in the function's head: -> T.int32
