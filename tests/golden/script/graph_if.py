# run: tenon fmt %s
# Branches; both give the same name a value.
@I.ir_module
class M:
    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        if c:
            a = R.call_dps_packed("env.relu", (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
            y = a
        else:
            if c:
                y1 = x
            else:
                y1 = R.call_dps_packed("env.exp", (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
            y = y1
        return y
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        if c:
            y = R.call_dps_packed("env.relu", (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        else:
            if c:
                y1 = x
            else:
                y1 = R.call_dps_packed("env.exp", (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
            y = y1
        return y
