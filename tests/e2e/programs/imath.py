# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((8,), "int32"), L: T.Buffer((8,), "int64"), F: T.Buffer((8,), "float32"), O: T.Buffer((14, 8), "int32"), P: T.Buffer((6, 8), "int64"), Q: T.Buffer((6, 8), "float32"), U: T.Buffer((3, 8), "uint32")):
    for i in range(8):
        O[0, i] = T.popcount(A[i])
        O[1, i] = T.clz(A[i])
        O[2, i] = T.q_multiply_shift(A[i] * 1000, 1073741824, 31, 2)
        O[3, i] = T.bitwise_and(A[i], 5)
        O[4, i] = T.bitwise_or(A[i], 5)
        O[5, i] = T.bitwise_xor(A[i], -1)
        O[6, i] = T.bitwise_not(A[i])
        O[7, i] = T.shift_left(A[i], 3)
        O[8, i] = T.shift_right(A[i], 1)
        O[9, i] = T.abs(A[i])
        O[10, i] = T.reinterpret("int32", F[i])
        O[11, i] = A[i] // 4 * 4 + A[i] % 4
        O[12, i] = T.Div(A[i], 3)
        O[13, i] = -(A[i] * A[i]) + ~A[i]
        P[0, i] = T.popcount(L[i])
        P[1, i] = T.clz(L[i])
        P[2, i] = T.abs(L[i])
        P[3, i] = T.max_value("int64") + L[i]
        P[4, i] = L[i] << T.int64(62)
        P[5, i] = L[i] // T.int64(-3) + L[i] % T.int64(-3)
        Q[0, i] = T.fma(F[i], F[i], T.float32(1))
        Q[1, i] = T.ldexp(F[i], A[i])
        Q[2, i] = T.infinity("float32") * F[i]
        Q[3, i] = T.max_value("float32") - T.min_value("float32")
        Q[4, i] = F[i] // T.float32(0.3)
        Q[5, i] = F[i] % T.float32(-0.3)
        U[0, i] = T.reinterpret("uint32", A[i])
        U[1, i] = T.reinterpret("uint32", A[i]) // T.uint32(7)
        U[2, i] = T.reinterpret("uint32", A[i]) % T.uint32(7)
