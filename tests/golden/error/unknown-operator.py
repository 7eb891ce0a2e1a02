# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y = R.nn.relo(x)
        z = R.frobnicate(x)
        return x
# expect:
%s:10:13: error: unknown operator 'R.nn.relo' [unknown-operator]
        y = R.nn.relo(x)
            ^~~~~~~~~
  hint: did you mean 'nn.relu'?
%s:11:13: error: unknown operator 'R.frobnicate' [unknown-operator]
        z = R.frobnicate(x)
            ^~~~~~~~~~~~
