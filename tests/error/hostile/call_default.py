import os
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32") = os.system("touch PWNED_DEFAULT")):
    A[0] = T.float32(0)
