# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "int8"), U: T.Buffer((32,), "uint8"), O: T.Buffer((32,), "float32"), P: T.Buffer((32,), "int8"), Q: T.Buffer((32,), "uint8"), S: T.Buffer((4, 8), "float32")):
    for i in range(4):
        O.vstore([T.Ramp(i * 8, 1, 8)], A.vload([T.Ramp(i * 8, 1, 8)], predicate=T.Ramp(0, 1, 8) < T.Broadcast(i + 3, 8)), predicate=T.Ramp(i, 1, 8) > T.Broadcast(3, 8))
    P[0:32] = B[0:32] * B[0:32] + T.Broadcast(T.int8(100), 32)
    Q[0:16] = T.max(U[0:32:2], T.Broadcast(T.uint8(3), 16)) - U[1:32:2]
    S[2, 0:8] = A[24:32]
    S[3, T.Ramp(7, -1, 8)] = T.Cast("float32x8", B[T.Ramp(0, 4, 8)])
