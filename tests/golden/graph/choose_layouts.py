# run: tenon opt --passes=normalize,fold_constants,legalize_graph,fuse_ops,dead_code,choose_layouts,dead_code --target=x86-64-v3 %s
# Two convolutions in blocks of 8 channels: the first reads three plain ones, what goes from one to
# the next is blocked, and so is the pooling; the result is copied back. Weights are laid out here
# and now. The mean of each channel is read from blocks and lies as it did.
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((1, 3, 64, 64), dtype="float32")):
        with R.dataflow():
            w = R.full(R.shape([64, 3, 3, 3]), R.const(0.5, "float32"), dtype="float32")
            u = R.full(R.shape([64, 64, 3, 3]), R.const(0.25, "float32"), dtype="float32")
            a = R.nn.conv2d(x, w, padding=[1, 1, 1, 1])
            b = R.nn.relu(a)
            c = R.nn.max_pool2d(b, pool_size=[2, 2], strides=[2, 2])
            d = R.nn.conv2d(c, u)
            m = R.mean(d, axis=[2, 3], keepdims=True)
            gv = (d, m)
            R.output(gv)
        return gv
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func(private=True)
    def conv2d_1_1(A: T.Buffer((T.int64(1), T.int64(8), T.int64(32), T.int64(32), T.int64(8)), "float32"), B: T.Buffer((T.int64(8), T.int64(8), T.int64(3), T.int64(3), T.int64(8), T.int64(8)), "float32"), T_out: T.Buffer((T.int64(1), T.int64(8), T.int64(30), T.int64(30), T.int64(8)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1_o, i2, i3, i1_i, k0_o, k1, k2, k0_i in T.grid(T.int64(1), T.int64(8), T.int64(30), T.int64(30), T.int64(8), T.int64(8), T.int64(3), T.int64(3), T.int64(8)):
            with T.block("conv2d"):
                v_i0, v_i1_o, v_i2, v_i3, v_i1_i, v_k0_o, v_k1, v_k2, v_k0_i = T.axis.remap("SSSSSRRRR", [i0, i1_o, i2, i3, i1_i, k0_o, k1, k2, k0_i])
                T.reads(A[v_i0, v_k0_o, v_k1 + v_i2, v_k2 + v_i3, v_k0_i], B[v_i1_o, v_k0_o, v_k1, v_k2, v_k0_i, v_i1_i])
                T.writes(T_out[v_i0, v_i1_o, v_i2, v_i3, v_i1_i])
                with T.init():
                    T_out[v_i0, v_i1_o, v_i2, v_i3, v_i1_i] = T.float32(0.0)
                T_out[v_i0, v_i1_o, v_i2, v_i3, v_i1_i] = T_out[v_i0, v_i1_o, v_i2, v_i3, v_i1_i] + A[v_i0, v_k0_o, v_k1 + v_i2, v_k2 + v_i3, v_k0_i] * B[v_i1_o, v_k0_o, v_k1, v_k2, v_k0_i, v_i1_i]

    @T.prim_func(private=True)
    def fused_conv2d_relu_1(A: T.Buffer((T.int64(1), T.int64(3), T.int64(64), T.int64(64)), "float32"), B: T.Buffer((T.int64(8), T.int64(3), T.int64(3), T.int64(3), T.int64(8)), "float32"), T_out: T.Buffer((T.int64(1), T.int64(8), T.int64(64), T.int64(64), T.int64(8)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True), "op_pattern": 8})
        # with T.block("root"):
        T_conv2d = T.alloc_buffer((T.int64(1), T.int64(8), T.int64(64), T.int64(64), T.int64(8)))
        pad_temp = T.alloc_buffer((T.int64(1), T.int64(3), T.int64(66), T.int64(66)))
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(3), T.int64(66), T.int64(66)):
            with T.block("pad_temp"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(A[v_i0, v_i1, v_i2 - T.int64(1), v_i3 - T.int64(1)])
                T.writes(pad_temp[v_i0, v_i1, v_i2, v_i3])
                pad_temp[v_i0, v_i1, v_i2, v_i3] = T.if_then_else(T.int64(0) < v_i2 and v_i2 < T.int64(65) and T.int64(0) < v_i3 and v_i3 < T.int64(65), A[v_i0, v_i1, v_i2 - T.int64(1), v_i3 - T.int64(1)], T.float32(0.0))
        for i0, i1_o, i2, i3, i1_i, k0, k1, k2 in T.grid(T.int64(1), T.int64(8), T.int64(64), T.int64(64), T.int64(8), T.int64(3), T.int64(3), T.int64(3)):
            with T.block("conv2d"):
                v_i0, v_i1_o, v_i2, v_i3, v_i1_i, v_k0, v_k1, v_k2 = T.axis.remap("SSSSSRRR", [i0, i1_o, i2, i3, i1_i, k0, k1, k2])
                T.reads(pad_temp[v_i0, v_k0, v_i2 + v_k1, v_i3 + v_k2], B[v_i1_o, v_k0, v_k1, v_k2, v_i1_i])
                T.writes(T_conv2d[v_i0, v_i1_o, v_i2, v_i3, v_i1_i])
                with T.init():
                    T_conv2d[v_i0, v_i1_o, v_i2, v_i3, v_i1_i] = T.float32(0.0)
                T_conv2d[v_i0, v_i1_o, v_i2, v_i3, v_i1_i] = T_conv2d[v_i0, v_i1_o, v_i2, v_i3, v_i1_i] + pad_temp[v_i0, v_k0, v_i2 + v_k1, v_i3 + v_k2] * B[v_i1_o, v_k0, v_k1, v_k2, v_i1_i]
        for i0, i1_o, i2, i3, i1_i in T.grid(T.int64(1), T.int64(8), T.int64(64), T.int64(64), T.int64(8)):
            with T.block("T_elem"):
                v_i0, v_i1_o, v_i2, v_i3, v_i1_i = T.axis.remap("SSSSS", [i0, i1_o, i2, i3, i1_i])
                T.reads(T_conv2d[v_i0, v_i1_o, v_i2, v_i3, v_i1_i])
                T.writes(T_out[v_i0, v_i1_o, v_i2, v_i3, v_i1_i])
                T_out[v_i0, v_i1_o, v_i2, v_i3, v_i1_i] = T.max(T.float32(0.0), T_conv2d[v_i0, v_i1_o, v_i2, v_i3, v_i1_i])

    @T.prim_func(private=True)
    def layout(A: T.Buffer((T.int64(1), T.int64(8), T.int64(30), T.int64(30), T.int64(8)), "float32"), T_layout: T.Buffer((T.int64(1), T.int64(64), T.int64(30), T.int64(30)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(64), T.int64(30), T.int64(30)):
            with T.block("T_layout"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(A[v_i0, v_i1 // T.int64(8), v_i2, v_i3, v_i1 % T.int64(8)])
                T.writes(T_layout[v_i0, v_i1, v_i2, v_i3])
                T_layout[v_i0, v_i1, v_i2, v_i3] = A[v_i0, v_i1 // T.int64(8), v_i2, v_i3, v_i1 % T.int64(8)]

    @T.prim_func(private=True)
    def max_pool2d_1(A: T.Buffer((T.int64(1), T.int64(8), T.int64(64), T.int64(64), T.int64(8)), "float32"), T_out: T.Buffer((T.int64(1), T.int64(8), T.int64(32), T.int64(32), T.int64(8)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i0, i1_o, i2, i3, i1_i, k0, k1 in T.grid(T.int64(1), T.int64(8), T.int64(32), T.int64(32), T.int64(8), T.int64(2), T.int64(2)):
            with T.block("pool_max"):
                v_i0, v_i1_o, v_i2, v_i3, v_i1_i, v_k0, v_k1 = T.axis.remap("SSSSSRR", [i0, i1_o, i2, i3, i1_i, k0, k1])
                T.reads(A[v_i0, v_i1_o, v_k0 + v_i2 * T.int64(2), v_k1 + v_i3 * T.int64(2), v_i1_i])
                T.writes(T_out[v_i0, v_i1_o, v_i2, v_i3, v_i1_i])
                with T.init():
                    T_out[v_i0, v_i1_o, v_i2, v_i3, v_i1_i] = T.float32("-inf")
                T_out[v_i0, v_i1_o, v_i2, v_i3, v_i1_i] = T.Select(T.isnan(T_out[v_i0, v_i1_o, v_i2, v_i3, v_i1_i]), T_out[v_i0, v_i1_o, v_i2, v_i3, v_i1_i], T.max(T_out[v_i0, v_i1_o, v_i2, v_i3, v_i1_i], A[v_i0, v_i1_o, v_k0 + v_i2 * T.int64(2), v_k1 + v_i3 * T.int64(2), v_i1_i]))

    @T.prim_func(private=True)
    def mean_1(A: T.Buffer((T.int64(1), T.int64(8), T.int64(30), T.int64(30), T.int64(8)), "float32"), T_out: T.Buffer((T.int64(1), T.int64(64), T.int64(1), T.int64(1)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        T_sum = T.alloc_buffer((T.int64(1), T.int64(64), T.int64(1), T.int64(1)))
        for i0, i1_o, i1_i, k0, k1 in T.grid(T.int64(1), T.int64(8), T.int64(8), T.int64(30), T.int64(30)):
            with T.block("T_reduce"):
                v_i0, v_i1_o, v_i1_i, v_k0, v_k1 = T.axis.remap("SSSRR", [i0, i1_o, i1_i, k0, k1])
                T.reads(A[v_i0, v_i1_o, v_k0, v_k1, v_i1_i])
                T.writes(T_sum[v_i0, v_i1_o * T.int64(8) + v_i1_i, T.int64(0), T.int64(0)])
                with T.init():
                    T_sum[v_i0, v_i1_o * T.int64(8) + v_i1_i, T.int64(0), T.int64(0)] = T.float32(0.0)
                T_sum[v_i0, v_i1_o * T.int64(8) + v_i1_i, T.int64(0), T.int64(0)] = T_sum[v_i0, v_i1_o * T.int64(8) + v_i1_i, T.int64(0), T.int64(0)] + A[v_i0, v_i1_o, v_k0, v_k1, v_i1_i]
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(64), T.int64(1), T.int64(1)):
            with T.block("T_divide"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(T_sum[v_i0, v_i1, v_i2, v_i3])
                T.writes(T_out[v_i0, v_i1, v_i2, v_i3])
                T_out[v_i0, v_i1, v_i2, v_i3] = T_sum[v_i0, v_i1, v_i2, v_i3] / T.float32(900.0)

    @R.function
    def main(x: R.Tensor((1, 3, 64, 64), dtype="float32")) -> R.Tuple(R.Tensor((1, 64, 30, 30), dtype="float32"), R.Tensor((1, 64, 1, 1), dtype="float32")):
        cls = M
        with R.dataflow():
            b_blocked = R.call_tir(cls.fused_conv2d_relu_1, (x, metadata["relax.expr.Constant"][0]), out_sinfo=R.Tensor((1, 8, 64, 64, 8), dtype="float32"))
            c_blocked = R.call_tir(cls.max_pool2d_1, (b_blocked,), out_sinfo=R.Tensor((1, 8, 32, 32, 8), dtype="float32"))
            d_blocked = R.call_tir(cls.conv2d_1_1, (c_blocked, metadata["relax.expr.Constant"][1]), out_sinfo=R.Tensor((1, 8, 30, 30, 8), dtype="float32"))
            d = R.call_tir(cls.layout, (d_blocked,), out_sinfo=R.Tensor((1, 64, 30, 30), dtype="float32"))
            m = R.call_tir(cls.mean_1, (d_blocked,), out_sinfo=R.Tensor((1, 64, 1, 1), dtype="float32"))
            gv: R.Tuple(R.Tensor((1, 64, 30, 30), dtype="float32"), R.Tensor((1, 64, 1, 1), dtype="float32")) = (d, m)
            R.output(gv)
        return gv
