# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((8,), "int32"), U: T.Buffer((8,), "uint32"), L: T.Buffer((40,), "int32"), R0: T.Buffer((40,), "int32"), RU: T.Buffer((40,), "uint32"), L8: T.Buffer((40,), "int8"), R8: T.Buffer((40,), "int8")):
    for i in range(40):
        with T.block("b"):
            vi = T.axis.spatial(40, i)
            L[vi] = A[vi % 8] << (vi - 2)
            R0[vi] = A[vi % 8] >> (vi - 2)
            RU[vi] = U[vi % 8] >> T.Cast("uint32", vi)
            L8[vi] = T.Cast("int8", A[vi % 8]) << T.Cast("int8", vi)
            R8[vi] = T.shift_right(T.Cast("int8", A[vi % 8]), T.Cast("int8", vi))
