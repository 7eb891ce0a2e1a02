# row: any value, types of numbers
# section: 2e
# does: prints
# --- 2023
@I.ir_module
class Module:
    @R.function
    def f(o: R.Object, k: R.Prim("int64")) -> R.Tuple(R.Object, R.Prim("int64")):  #<
        return (o, k)
# --- 2026
@I.ir_module
class Module:
    @R.function
    def f(o: R.Any, k: T.int64) -> R.Tuple(R.Any, T.int64):  #<
        return (o, k)
