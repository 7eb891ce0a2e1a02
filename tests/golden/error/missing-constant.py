# run: not tenon check %s
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y = metadata["relax.expr.Constant"][0]
        return x
# expect:
%s:6:13: error: reading %s.npz:constant_0: cannot open '%s.npz': No such file or directory [missing-constant]
        y = metadata["relax.expr.Constant"][0]
            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
