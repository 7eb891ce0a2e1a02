# run: tenon fmt %s
# Constants.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Object:
        n = T.int64()
        a = R.const(1.5, "float32")
        b = R.const(3, "int64")
        c = R.const([1, 2, 3], "int32")
        d = R.const([[1.0, 2.0], [3.0, 4.0]], "float32")
        e = R.prim_value(3)
        f = R.shape([1, n])
        g = R.str("s\n\"quoted\"")
        h = R.dtype("float32")
        i = R.null_value()
        j = R.const(True, "bool")
        k = R.prim_value(T.int32(3))
        l = R.const(2.0)
        m = R.const([[], []], "int64")
        o = R.const([1, 2, 3, 4, 5, 6, 7, 8, 9], "int8")
        return a
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Object:
        n = T.int64()
        a = R.const(1.5, "float32")
        b = R.const(3, "int64")
        c = R.const([1, 2, 3], "int32")
        d = R.const([[1.0, 2.0], [3.0, 4.0]], "float32")
        e: R.Prim(value=3) = R.prim_value(3)
        f: R.Shape([1, n]) = R.shape([1, n])
        g: R.Object = R.str("s\n\"quoted\"")
        h: R.Object = R.dtype("float32")
        i: R.Object = R.null_value()
        j = R.const(True, "bool")
        k: R.Prim(value=T.int32(3)) = R.prim_value(T.int32(3))
        l = R.const(2.0, "float32")
        m = R.const([[], []], "int64")
        o = metadata["relax.expr.Constant"][0]
        return a
