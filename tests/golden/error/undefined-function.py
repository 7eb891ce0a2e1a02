# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        y = R.call_tir(cls.cop, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return y
# expect:
%s:11:24: error: the module has no function 'cop' [undefined-function]
        y = R.call_tir(cls.cop, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
                       ^~~~~~~
  hint: did you mean 'copy'?
