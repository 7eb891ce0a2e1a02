# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        y = R.call_tir_inplace(cls.copy, (x, x), out_sinfo=R.Tensor((4,), dtype="float32"), inplace_indices=[0, 1])
        z = R.call_tir_inplace(cls.copy, (x, x), out_sinfo=R.Tensor((4,), dtype="float32"), inplace_indices=[7])
        return y
# expect:
%s:11:9: error: inplace_indices needs one entry for each of the 1 outputs [bad-field]
        y = R.call_tir_inplace(cls.copy, (x, x), out_sinfo=R.Tensor((4,), dtype="float32"), inplace_indices=[0, 1])
        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
%s:12:9: error: inplace_indices holds 7, there are 2 inputs [bad-field]
        z = R.call_tir_inplace(cls.copy, (x, x), out_sinfo=R.Tensor((4,), dtype="float32"), inplace_indices=[7])
        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
