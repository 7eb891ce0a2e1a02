# row: types of shapes, tuples and functions
# section: 2f
# does: prints
# same: 2026
# --- 2022
@tvm.script.ir_module
class Module:
    @R.function
    def f(s: Shape([n, 4]), u: Shape(ndim=2), t: Tuple(Tensor((n,), "float32"), Shape), h: Callable((Tensor((4,), "float32"),), Tensor((4,), "float32"), True)) -> Shape([n, 4]):  #<
        return s
# --- 2023
@I.ir_module
class Module:
    @R.function
    def f(s: R.Shape(["n", 4]), u: R.Shape(ndim=2), t: R.Tuple(R.Tensor(("n",), "float32"), R.Shape), h: R.Callable((R.Tensor((4,), "float32"),), R.Tensor((4,), "float32"), True)) -> R.Shape(["n", 4]):  #<
        return s
