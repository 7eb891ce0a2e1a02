# run: --random
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((32,), "float32"), O: T.Buffer((32,), "float32")):
    for i in T.vectorized(32):
        x = A[i]
        y = x * x + T.Cast("float32", i)
        z = T.exp(T.float32(-1) * y) 
        O[i] = z + T.Let(q * q, where={q: x + y}) if i > 100 else z - y
