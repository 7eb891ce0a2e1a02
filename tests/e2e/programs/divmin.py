# run: --random
from tvm.script import tir as T


@T.prim_func
def main(D: T.Buffer((1,), "int32"), O: T.Buffer((4,), "int32"), P: T.Buffer((4,), "int64")):
    m = T.min_value("int32")
    n = T.min_value("int64")
    z = D[0] - D[0] - 1
    z64 = T.Cast("int64", z)
    O[0] = m // z
    O[1] = m % z
    O[2] = T.truncdiv(m, z)
    O[3] = T.truncmod(m, z)
    P[0] = n // z64
    P[1] = n % z64
    P[2] = T.truncdiv(n, z64)
    P[3] = T.truncmod(n, z64)
