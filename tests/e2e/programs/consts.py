# run: --random
from tvm.script import ir as I
from tvm.script import relax as R
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        a = R.const([[1, -2], [127, -128]], "int8")
        c = R.const([True, False], "bool")
        d = R.const([], "int64")
        e = R.const([[], []], "float64")
        f = R.const([[[]]], "uint8")
        g = R.const([9223372036854775807, -9223372036854775808], "int64")
        h = R.const([18446744073709551615], "uint64")
        i = R.const([1e-45, 3.4028234663852886e38, -0.0, 0.1], "float32")
        j = R.const([1, 2.5], "float64")
        k = R.const([1, 2])
        l = R.const([65504.0, 0.1], "float16")
        return (a, c, d, e, f, g, h, i, j, k, l)
