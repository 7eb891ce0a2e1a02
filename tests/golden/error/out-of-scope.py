# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        with R.dataflow():
            inner = R.call_tir(cls.copy, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
            y = R.call_tir(cls.copy, (inner,), out_sinfo=R.Tensor((4,), dtype="float32"))
            R.output(y)
        if c:
            a = x
            z = a
        else:
            z = x
        w = (inner, a)
        return z
# expect:
%s:20:14: error: 'inner' is not visible here [out-of-scope]
        w = (inner, a)
             ^~~~~
  hint: it belongs to a dataflow block: name it in R.output(...) to use it afterwards
%s:20:21: error: 'a' is not visible here [out-of-scope]
        w = (inner, a)
                    ^
  hint: it belongs to a branch: only the variable that both branches end with lives on
