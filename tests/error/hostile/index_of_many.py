from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        C = T.alloc_buffer((2, 3, 4), "float32")
        C[1, 3, 0] = A[0]
        B[0] = C[1, 2, 3]
