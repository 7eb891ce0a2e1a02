# row: attributes of a function
# section: 2f
# does: runs
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"num_input": 1, "names": ["a", "b"], "sizes": {"k": 1.5}})  #<
        R.func_name("main")  #<
        return x
