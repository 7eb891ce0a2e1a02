# run: --random
from tvm.script import tir as T


@T.prim_func
def main(O: T.Buffer((10,), "int64")):
    i = T.alloc_buffer((1,), "int32")
    i[0] = 0
    while i[0] < 10:
        if i[0] % 2 == 0:
            O[i[0]] = T.Cast("int64", i[0]) * T.int64(10000000000)
        else:
            if i[0] == 3:
                O[i[0]] = T.int64(-3)
            else:
                O[i[0]] = T.int64(1)
        i[0] = i[0] + 1
