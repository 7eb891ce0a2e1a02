# row: registered function that writes its results
# section: 2f
# does: prints, and runs where a host registers it
# --- 2022
@tvm.script.ir_module
class Module:
    @R.function
    def main(x: Tensor((4,), "float32")):
        y = R.call_tir("env.relu", (x,), (4,), dtype="float32")  #<
        return y
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        y = R.call_dps_packed("env.relu", (x,), out_sinfo=R.Tensor((4,), "float32"))  #<
        return y
# --- 2026
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        y = R.call_dps_packed("env.relu", (x,), out_ty=R.Tensor((4,), "float32"))  #<
        return y
