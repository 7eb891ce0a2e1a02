# run: tenon fmt %s
# The import lines that the course writes; order of functions; a module's own attributes.
import tvm
from tvm import relax
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Net:
    I.module_attrs({"version": 3})

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        return x

    @T.prim_func
    def b(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(0)

    @T.prim_func
    def a(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(0)

    @R.function
    def aa(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        return x
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Net:
    I.module_attrs({"version": 3})

    @T.prim_func
    def a(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(0.0)

    @T.prim_func
    def b(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(0.0)

    @R.function
    def aa(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        return x

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        return x
