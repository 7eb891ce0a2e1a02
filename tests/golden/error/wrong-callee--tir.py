# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def main(A: T.Buffer((8,), "int32")):
        M.f(A)

    @R.function
    def f(x: R.Tensor((8,), "int32")) -> R.Tensor((8,), "int32"):
        return x
# expect:
%s:6:9: error: 'f' is no loop function: a loop function cannot call it [wrong-callee]
        M.f(A)
        ^~~~~~
