import os
from tvm.script import tir as T

@os.system("touch PWNED_DECORATOR")
def main(A: T.Buffer((8,), "float32")):
    A[0] = T.float32(0)
