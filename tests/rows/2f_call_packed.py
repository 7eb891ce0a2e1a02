# row: registered function that returns its result
# section: 2f
# does: prints, and runs where a host registers it
# --- 2022
@tvm.script.ir_module
class Module:
    @R.function(pure=False)
    def main(x: Tensor((4,), "float32")):
        y = R.call_packed("f", x, R.prim_value(1), R.str("s"), type_args=(Tensor(ndim=1, dtype="float32"),))  #<
        return y
# --- 2023
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        y = R.call_packed("f", x, R.prim_value(1), R.str("s"), sinfo_args=(R.Tensor(ndim=1, dtype="float32"),))  #<
        return y
# --- 2026
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        y = R.call_packed("f", x, R.prim_value(1), R.str("s"), ty_args=(R.Tensor(ndim=1, dtype="float32"),))  #<
        return y
