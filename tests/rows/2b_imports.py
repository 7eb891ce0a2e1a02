# row: names of the imports
# section: 2b
# does: runs
# --- 2023
import tvm
import tvm.script
from tvm.script import ir as irm, tir as X  #<
from tvm.script.parser import relax as rx  #<

@irm.ir_module
class Module:
    @X.prim_func
    def main(A: X.Buffer((4,), "float32")):
        for i in X.serial(4):
            A[i] = X.max(A[i], tvm.tir.exp(A[i]))
# --- 2026
from tvm.script import ir as irm, tirx as X

@irm.ir_module
class Module:
    @X.prim_func
    def main(A: X.Buffer((4,), "float32")):
        for i in X.serial(4):
            A[i] = X.max(A[i], X.exp(A[i]))
