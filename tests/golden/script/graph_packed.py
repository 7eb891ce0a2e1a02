# run: tenon fmt %s
# Calls of registered functions.
@I.ir_module
class M:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Object:
        a = R.call_dps_packed("env.relu", (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        b = R.call_packed("f", a, R.prim_value(1), R.str("s"), sinfo_args=(R.Tensor((4,), dtype="float32"),))
        c = R.call_pure_packed("g", b, sinfo_args=(R.Object,))
        d = R.call_builtin_with_ctx("vm.builtin.x", (a,), sinfo_args=(R.Object,))
        e = R.call_packed("h", sinfo_args=(R.Tuple,))
        f = R.call_inplace_packed("k", a, inplace_indices=[0], sinfo_args=(R.Tensor((4,), dtype="float32"),))
        return d
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Object:
        a = R.call_dps_packed("env.relu", (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        b = R.call_packed("f", a, R.prim_value(1), R.str("s"), sinfo_args=(R.Tensor((4,), dtype="float32"),))
        c = R.call_pure_packed("g", b, sinfo_args=(R.Object,))
        d = R.call_builtin_with_ctx("vm.builtin.x", (a,), sinfo_args=(R.Object,))
        e = R.call_packed("h", sinfo_args=(R.Tuple(),))
        f = R.call_inplace_packed("k", a, sinfo_args=(R.Tensor((4,), dtype="float32"),), inplace_indices=[0])
        return d
