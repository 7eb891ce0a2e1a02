# run: tenon fmt %s
# Signs and methods for operators.
@I.ir_module
class M:
    @R.function
    def main(a: R.Tensor((4, 4), dtype="float32"), b: R.Tensor((4, 4), dtype="float32")) -> R.Tensor((4, 4), dtype="bool"):
        c = a + b
        d = c - a * b / a
        e = -d
        f = e < a
        g = R.nn.relu(R.matmul(a, b))
        h = g.astype("float16")
        i = R.add(a, R.const(1.0, "float32"))
        j = R.sum(a, axis=[0], keepdims=True)
        k = R.reshape(a, R.shape([16]))
        l = R.permute_dims(a)
        return f
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(a: R.Tensor((4, 4), dtype="float32"), b: R.Tensor((4, 4), dtype="float32")) -> R.Tensor((4, 4), dtype="bool"):
        c: R.Tensor((4, 4), dtype="float32") = R.add(a, b)
        d: R.Tensor((4, 4), dtype="float32") = R.subtract(c, R.divide(R.multiply(a, b), a))
        e: R.Tensor((4, 4), dtype="float32") = R.negative(d)
        f: R.Tensor((4, 4), dtype="bool") = R.less(e, a)
        g: R.Tensor((4, 4), dtype="float32") = R.nn.relu(R.matmul(a, b))
        h: R.Tensor((4, 4), dtype="float16") = R.astype(g, dtype="float16")
        i: R.Tensor((4, 4), dtype="float32") = R.add(a, R.const(1.0, "float32"))
        j: R.Tensor((1, 4), dtype="float32") = R.sum(a, axis=[0], keepdims=True)
        k: R.Tensor((16,), dtype="float32") = R.reshape(a, R.shape([16]))
        l: R.Tensor((4, 4), dtype="float32") = R.permute_dims(a)
        return f
