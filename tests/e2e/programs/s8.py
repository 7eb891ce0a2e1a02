# run: --random n=-3 f=1 u=7
# run: --random n=127 f=0 u=4000000000
from tvm.script import tir as T

@T.prim_func
def main(O: T.Buffer((3,), "int64"), n: T.int8, f: T.bool, u: T.uint32):
    O[0] = T.Cast("int64", n)
    O[1] = T.Cast("int64", f)
    O[2] = T.Cast("int64", u)
