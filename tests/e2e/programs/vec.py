# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((32,), "float32"), I0: T.Buffer((32,), "int32"), O: T.Buffer((32,), "float32"), P: T.Buffer((32,), "float32"), Q: T.Buffer((8, 4), "float32")):
    for i in range(8):
        O[i * 4:i * 4 + 4] = A[i * 4:i * 4 + 4] + T.Broadcast(T.float32(1), 4)
    for i in range(4):
        P[T.Ramp(i * 8, 1, 8)] = T.Select(A[T.Ramp(i * 8, 1, 8)] > T.Broadcast(T.float32(0), 8), A[T.Ramp(i * 8, 1, 8)], T.Broadcast(T.float32(-5), 8)) * T.Cast("float32x8", I0[T.Ramp(i * 8, 1, 8)])
    for i in range(8):
        Q[i, 0:4] = A.vload([i * 4], "float32x4") + A[T.Ramp(i * 4 + 3, -1, 4)]
