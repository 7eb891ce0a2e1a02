# run: tenon fmt %s
# Buffer parameters: several ranks, every kind of element type, a rank of 0.
@T.prim_func
def f(
    A: T.Buffer((128, 128), "float32"),
    B: T.Buffer((4,), "int8"),
    C: T.Buffer((2, 3, 4), "float64"),
    D: T.Buffer((), "int64"),
    E: T.Buffer((8,)),
    F: T.Buffer((8,), "bool"),
    G: T.Buffer((8,), "float16"),
    H: T.Buffer((8,), "bfloat16"),
    J: T.Buffer((8,), "uint16"),
):
    A[0, 0] = E[0]
    C[1, 2, 3] = 1.5
    B[1] = T.int8(3)
    D[()] = T.int64(7)
    F[0] = T.bool(True)
    G[0] = T.float16(0.5)
    H[0] = T.bfloat16(2)
    J[0] = T.uint16(65535)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((128, 128), "float32"), B: T.Buffer((4,), "int8"), C: T.Buffer((2, 3, 4), "float64"), D: T.Buffer((), "int64"), E: T.Buffer((8,), "float32"), F: T.Buffer((8,), "bool"), G: T.Buffer((8,), "float16"), H: T.Buffer((8,), "bfloat16"), J: T.Buffer((8,), "uint16")):
        A[0, 0] = E[0]
        C[1, 2, 3] = T.float64(1.5)
        B[1] = T.int8(3)
        D[()] = T.int64(7)
        F[0] = T.bool(True)
        G[0] = T.float16(0.5)
        H[0] = T.bfloat16(2.0)
        J[0] = T.uint16(65535)
