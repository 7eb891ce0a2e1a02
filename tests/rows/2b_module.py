# row: module
# section: 2b
# does: runs
# --- 2022
import tvm
from tvm.script import tir as T

@tvm.script.ir_module  #<
class MyModule:  #<
    @T.prim_func
    def main(A: T.Buffer[(4,), "float32"]):
        T.func_attr({"global_symbol": "main", "tir.noalias": True})
        for i in range(4):
            A[i] = A[i] + 1.0
# --- 2023
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module  #<
class MyModule:  #<
    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in range(4):
            A[i] = A[i] + 1.0
# --- 2026
from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module(s_tir=True)  #<
class MyModule:  #<
    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in range(4):
            A[i] = A[i] + 1.0
