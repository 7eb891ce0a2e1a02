# run: --random
from tvm.script import tir as T


@T.prim_func
def main(O: T.Buffer((8,), "int32"), P: T.Buffer((8,), "uint8"), Q: T.Buffer((8,), "int64"), B: T.Buffer((8,), "bool"), U: T.Buffer((8,), "uint32"), V: T.Buffer((8,), "uint64")):
    X = T.alloc_buffer((8,), "float32")
    X[0] = T.float32("nan")
    X[1] = T.float32("inf")
    X[2] = T.float32("-inf")
    X[3] = T.float32(-0.0)
    X[4] = T.float32(3e9)
    X[5] = T.float32(-3e9)
    X[6] = T.float32(255.9)
    X[7] = T.float32(-0.9)
    for i in range(8):
        O[i] = T.Cast("int32", X[i])
        P[i] = T.Cast("uint8", X[i])
        Q[i] = T.Cast("int64", X[i] * T.float32(1e20))
        B[i] = T.Cast("bool", X[i])
        U[i] = T.Cast("uint32", X[i])
        V[i] = T.Cast("uint64", X[i])
