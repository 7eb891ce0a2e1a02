# run: not tenon check %s
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y = metadata["Constant"][0]
        return x
# expect:
%s:6:13: error: expected metadata["relax.expr.Constant"][index] [bad-metadata]
        y = metadata["Constant"][0]
            ^~~~~~~~~~~~~~~~~~~~~~~
