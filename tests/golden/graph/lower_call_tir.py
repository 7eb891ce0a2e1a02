# run: tenon opt --passes=to_nondataflow,lower_call_tir %s
# Calls in destination-passing style get their memory: one output, several, sizes by name.
@I.ir_module
class M:
    @T.prim_func
    def two(a: T.handle, b: T.handle, C: T.Buffer((2,), "int32"), n: T.int64):
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        C[0] = 1
        for i in range(n):
            B[i] = A[i]

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = M
        with R.dataflow():
            t = R.call_tir(cls.two, (x,), out_sinfo=[R.Tensor((n,), dtype="float32"), R.Tensor((2,), dtype="int32")], tir_vars=R.shape([n]))
            y = t[0]
            z = R.call_dps_packed("env.relu", (y,), out_sinfo=R.Tensor((n,), dtype="float32"))
            R.output(z)
        return z
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func
    def two(a: T.handle, b: T.handle, C: T.Buffer((2,), "int32"), n: T.int64):
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        C[0] = 1
        for i in range(n):
            B[i] = A[i]

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        R.func_attr({"relax.force_pure": T.bool(True)})
        n = T.int64()
        cls = M
        t: R.Tensor((n,), dtype="float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        t_1: R.Tensor((2,), dtype="int32") = R.builtin.alloc_tensor(R.shape([2]), R.dtype("int32"), R.prim_value(0), R.str("global"))
        _: R.Tuple() = R.vm.call_dps(cls.two, x, t, t_1, R.prim_value(n))
        t_2: R.Tuple(R.Tensor((n,), dtype="float32"), R.Tensor((2,), dtype="int32")) = (t, t_1)
        y: R.Tensor((n,), dtype="float32") = t_2[0]
        z: R.Tensor((n,), dtype="float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _1: R.Tuple() = R.vm.call_dps("env.relu", y, z)
        return z
