# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        y = R.call_tir(cls.copy, (x, x), out_sinfo=R.Tensor((4,), dtype="float32"))
        return y
# expect:
%s:11:9: error: copy has 2 parameters, the call gives 2 inputs, 1 outputs and 0 tir_vars [call-tir-arity]
        y = R.call_tir(cls.copy, (x, x), out_sinfo=R.Tensor((4,), dtype="float32"))
        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
