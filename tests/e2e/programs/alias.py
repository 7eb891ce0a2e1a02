# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), O: T.Buffer((64,), "float32")):
    p = T.allocate([64], "float32", "global")
    B = T.decl_buffer((8, 8), "float32", data=p)
    C = T.decl_buffer((64,), "float32", data=p)
    D = T.decl_buffer((4, 8), "float32", data=p, strides=[16, 1], elem_offset=8)
    for i, j in T.grid(8, 8):
        B[i, j] = A[j, i]
    for i in range(32):
        D[i // 8, i % 8] = D[i // 8, i % 8] * T.float32(10)
    for i in range(64):
        O[i] = C[i]
