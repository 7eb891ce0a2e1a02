# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((5, 7), "float32"), V: T.Buffer((5,), "float32"), X: T.Buffer((5,), "int32")):
    for i, k in T.grid(5, 7):
        with T.block("o"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                V[vi] = T.min_value("float32")
                X[vi] = -1
            x: T.int32 = T.Select(A[vi, vk] > V[vi], vk, X[vi])
            v: T.float32 = T.Select(A[vi, vk] > V[vi], A[vi, vk], V[vi])
            X[vi] = x
            V[vi] = v
