# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((6,), "int32"), F: T.Buffer((6, 6), "int32"), G: T.Buffer((6, 6), "int32"), H: T.Buffer((6, 6), "int32"), K: T.Buffer((6, 6), "int32")):
    for i, j in T.grid(6, 6):
        with T.block("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            d = vj * 3 - 7
            x = vi * 5 - 13
            F[vi, vj] = x // d
            G[vi, vj] = x % d
            H[vi, vj] = T.truncdiv(x, d)
            K[vi, vj] = T.truncmod(x, d) + A[vi]
