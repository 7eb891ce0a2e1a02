# row: types of results
# section: 2e
# does: prints
# --- 2023
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        y = R.call_dps_packed("f", (x,), out_sinfo=R.Tensor((4,), "float32"))  #<
        z = R.call_packed("g", y, sinfo_args=(R.Object,))  #<
        return z
# --- 2026
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        y = R.call_dps_packed("f", (x,), out_ty=R.Tensor((4,), "float32"))  #<
        z = R.call_packed("g", y, ty_args=(R.Any,))  #<
        return z
