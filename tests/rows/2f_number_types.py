# row: types of numbers
# section: 2f
# does: prints
# --- 2023
@I.ir_module
class Module:
    @R.function
    def f(k: R.Prim("int64"), x: R.Prim("float32")) -> R.Prim("int64"):  #<
        return k
# --- 2026
@I.ir_module
class Module:
    @R.function
    def f(k: T.int64, x: T.float32) -> T.int64:  #<
        return k
