# run: not tenon check %s
@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Bufer((16,), "float32")):
        A[0] = T.float32(1)

    @R.function
    def main(x: R.Tensr((3,), "float32")):
        with R.dataflow():
            y = R.exp(x)
            R.outptu(y)
        return x
# expect:
%s:5:14: error: expected the type of a parameter: T.handle, T.Buffer(...), T.int32 ... [bad-annotation]
    def f(A: T.Bufer((16,), "float32")):
             ^~~~~~~~~~~~~~~~~~~~~~~~~
  hint: did you mean 'T.Buffer'?
%s:9:17: error: expected a type: R.Tensor, R.Shape, R.Tuple, R.Prim, R.Object or R.Callable [bad-annotation]
    def main(x: R.Tensr((3,), "float32")):
                ^~~~~~~~~~~~~~~~~~~~~~~~
  hint: did you mean 'R.Tensor'?
%s:12:13: error: unknown operator 'R.outptu' [unknown-operator]
            R.outptu(y)
            ^~~~~~~~
  hint: did you mean 'output'?
