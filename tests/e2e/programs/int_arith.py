# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((9,), "int8"), B: T.Buffer((9,), "int8"), U: T.Buffer((9,), "uint8"), S: T.Buffer((9,), "int16"), O8: T.Buffer((9,), "int8"), OU: T.Buffer((9,), "uint8"), O16: T.Buffer((9,), "int16"), OB: T.Buffer((9,), "bool"), O64: T.Buffer((9,), "int64"), OF: T.Buffer((9,), "float32"), M: T.Buffer((9,), "int8"), Q: T.Buffer((9,), "int8")):
    for i in range(9):
        with T.block("b"):
            vi = T.axis.spatial(9, i)
            O8[vi] = A[vi] * B[vi] + A[vi] - B[vi]
            OU[vi] = U[vi] * T.uint8(200) + U[vi] - T.uint8(250)
            O16[vi] = S[vi] << T.int16(3)
            OB[vi] = A[vi] < B[vi]
            O64[vi] = T.Cast("int64", U[vi]) << T.int64(40)
            OF[vi] = T.Cast("float32", U[vi]) / T.Cast("float32", A[vi])
            M[vi] = A[vi] & ~B[vi] | (A[vi] ^ B[vi])
            Q[vi] = T.max(A[vi], B[vi]) - T.min(A[vi], B[vi])
