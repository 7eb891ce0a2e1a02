# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(x: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32"))) -> R.Tensor((4,), dtype="float32"):
        cls = M
        y = R.call_tir_inplace(cls.copy, x, out_sinfo=R.Tensor((4,), dtype="float32"), inplace_indices=[1])
        return y
# expect:
%s:11:42: error: an in-place call needs its inputs one by one, not a tuple variable [inplace-tuple]
        y = R.call_tir_inplace(cls.copy, x, out_sinfo=R.Tensor((4,), dtype="float32"), inplace_indices=[1])
                                         ^
