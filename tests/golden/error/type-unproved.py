# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("m",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        return y
# expect:
%s:10:9: error: the result has type R.Tensor(("m",), dtype="float32"), declared R.Tensor(("n",), dtype="float32") [type-unproved]
        return y
        ^~~~~~~~
  hint: nothing proves them equal; R.match_cast(value, type) asks when it runs
