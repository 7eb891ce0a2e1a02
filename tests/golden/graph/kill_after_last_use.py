# run: tenon opt --passes=to_nondataflow,lower_call_tir,plan_memory,kill_after_last_use %s
# Each value is dropped right after its last use, in branches too; what is returned stays.
@I.ir_module
class M:
    @R.function(pure=False)
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        a = R.call_packed("f", x, sinfo_args=(R.Tensor((4,), dtype="float32"),))
        b = R.call_packed("f", a, sinfo_args=(R.Tensor((4,), dtype="float32"),))
        d = R.call_packed("g", a, b, sinfo_args=(R.Tensor((4,), dtype="float32"),))
        if c:
            e = R.call_packed("f", b, sinfo_args=(R.Tensor((4,), dtype="float32"),))
            y = e
        else:
            y = d
        return y
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function(pure=False)
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"relax.force_pure": T.bool(True)})
        a = R.call_packed("f", x, sinfo_args=(R.Tensor((4,), dtype="float32"),))
        b = R.call_packed("f", a, sinfo_args=(R.Tensor((4,), dtype="float32"),))
        d = R.call_packed("g", a, b, sinfo_args=(R.Tensor((4,), dtype="float32"),))
        _: R.Tuple() = R.vm.kill_object(a)
        if c:
            y = R.call_packed("f", b, sinfo_args=(R.Tensor((4,), dtype="float32"),))
        else:
            y = d
        _1: R.Tuple() = R.vm.kill_object(b)
        _2: R.Tuple() = R.vm.kill_object(d)
        return y
