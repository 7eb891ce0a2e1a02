# C = A + B: the smallest program that a schedule can change. docs/schedules.md walks through it.
from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def main(
        A: T.Buffer((1048576,), "float32"),
        B: T.Buffer((1048576,), "float32"),
        C: T.Buffer((1048576,), "float32"),
    ):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(1048576):
            with T.block("C"):
                vi = T.axis.spatial(1048576, i)
                C[vi] = A[vi] + B[vi]
