# row: pure, in-place and built-in functions of the host
# section: 2f
# does: prints, and runs where a host registers them
# --- 2023
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        a = R.call_pure_packed("f", x, sinfo_args=(R.Tensor((4,), "float32"),))  #<
        b = R.call_inplace_packed("g", a, inplace_indices=[0], sinfo_args=(R.Tensor((4,), "float32"),))  #<
        c = R.call_builtin_with_ctx("vm.builtin.x", (b,), sinfo_args=(R.Tensor((4,), "float32"),))  #<
        return c
# --- 2026
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        a = R.call_pure_packed("f", x, ty_args=(R.Tensor((4,), "float32"),))  #<
        b = R.call_inplace_packed("g", a, inplace_indices=[0], ty_args=(R.Tensor((4,), "float32"),))  #<
        c = R.call_builtin_with_ctx("vm.builtin.x", (b,), ty_args=(R.Tensor((4,), "float32"),))  #<
        return c
