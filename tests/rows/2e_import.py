# row: import
# section: 2e
# does: runs
# --- 2022
from tvm.script import tir as T  #<

@T.prim_func
def f(A: T.Buffer[(4,), "float32"]):
    for i in range(4):
        A[i] = A[i] + 1.0
# --- 2023
from tvm.script import tir as T  #<

@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    for i in range(4):
        A[i] = A[i] + 1.0
# --- 2026
from tvm.script import tirx as T  #<

@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    for i in range(4):
        A[i] = A[i] + 1.0
