# row: any value
# section: 2f
# does: prints
# --- 2022
@tvm.script.ir_module
class Module:
    @R.function
    def f(o: Object) -> Object:  #<
        return o
# --- 2023
@I.ir_module
class Module:
    @R.function
    def f(o: R.Object) -> R.Object:  #<
        return o
# --- 2026
@I.ir_module
class Module:
    @R.function
    def f(o: R.Any) -> R.Any:  #<
        return o
