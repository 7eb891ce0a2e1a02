# run: tenon fmt %s
# Operators as other printers write them: all fields in full, numbers as R.prim_value.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2, 4, 4), "float32"), w: R.Tensor((2, 2, 3, 3), "float32"), s: R.Tensor((2,), "float32"), i: R.Tensor((2,), "int32")):
        with R.dataflow():
            a = R.nn.conv2d(x, w, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            b = R.nn.batch_norm(a, s, s, s, s, axis=1, epsilon=1e-05, center=True, scale=True, momentum=0.1)
            c = R.nn.relu(b[0])
            d = R.nn.max_pool2d(c, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0], dilation=[1, 1], ceil_mode=False, layout="NCHW", out_layout="NCHW")
            e = R.clip(d, R.prim_value(0), R.prim_value(6))
            f = R.strided_slice(e, (R.prim_value(2),), (R.prim_value(0),), (R.prim_value(1),))
            g = R.split(f, indices_or_sections=2, axis=1)
            h = R.concat((g[0], g[1]), axis=1)
            j = R.take(h, i, axis=1)
            k = R.nn.dropout(j, rate=0.5)
            l = R.full(R.shape([2]), R.const(1.0, "float32"), dtype="float32")
            m = R.add(R.mean(k[0], axis=[0, 2, 3], keepdims=False), l)
            R.output(m)
        return m
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2, 4, 4), dtype="float32"), w: R.Tensor((2, 2, 3, 3), dtype="float32"), s: R.Tensor((2,), dtype="float32"), i: R.Tensor((2,), dtype="int32")) -> R.Tensor((2,), dtype="float32"):
        with R.dataflow():
            a: R.Tensor((1, 2, 4, 4), dtype="float32") = R.nn.conv2d(x, w, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW")
            b: R.Tuple(R.Tensor((1, 2, 4, 4), dtype="float32"), R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")) = R.nn.batch_norm(a, s, s, s, s, axis=1, epsilon=1e-05, center=True, scale=True, momentum=0.1)
            c: R.Tensor((1, 2, 4, 4), dtype="float32") = R.nn.relu(b[0])
            d: R.Tensor((1, 2, 2, 2), dtype="float32") = R.nn.max_pool2d(c, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0], dilation=[1, 1], ceil_mode=False, layout="NCHW", out_layout="NCHW")
            e: R.Tensor((1, 2, 2, 2), dtype="float32") = R.clip(d, min=0, max=6)
            f: R.Tensor((1, 2, 1, 2), dtype="float32") = R.strided_slice(e, axes=[2], begin=[0], end=[1])
            g: R.Tuple(R.Tensor((1, 1, 1, 2), dtype="float32"), R.Tensor((1, 1, 1, 2), dtype="float32")) = R.split(f, indices_or_sections=2, axis=1)
            h: R.Tensor((1, 2, 1, 2), dtype="float32") = R.concat((g[0], g[1]), axis=1)
            j: R.Tensor((1, 2, 1, 2), dtype="float32") = R.take(h, i, axis=1)
            k: R.Tuple(R.Tensor((1, 2, 1, 2), dtype="float32"), R.Tensor((1, 2, 1, 2), dtype="float32")) = R.nn.dropout(j, rate=0.5)
            l: R.Tensor((2,), dtype="float32") = R.full(R.shape([2]), R.const(1.0, "float32"), dtype="float32")
            m: R.Tensor((2,), dtype="float32") = R.add(R.mean(k[0], axis=[0, 2, 3], keepdims=False), l)
            R.output(m)
        return m
