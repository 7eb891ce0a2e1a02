# run: tenon fmt %s
# break and continue; loops that a break leaves are not fused into T.grid.
@T.prim_func
def f(A: T.Buffer((8, 8), "int32")):
    for i in range(8):
        for j in range(8):
            if A[i, j] == 0:
                break
            A[i, j] = 1
    for i in range(8):
        for j in range(8):
            if A[i, j] == 0:
                continue
            A[i, j] = 2
    while A[0, 0] > 0:
        A[0, 0] = A[0, 0] - 1
        if A[0, 0] == 3:
            continue
        else:
            break
    if A[1, 1] == 0:
        return
    A[1, 1] = 5
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8, 8), "int32")):
        for i in range(8):
            for j in range(8):
                if A[i, j] == 0:
                    break
                A[i, j] = 1
        for i, j in T.grid(8, 8):
            if A[i, j] == 0:
                continue
            A[i, j] = 2
        while A[0, 0] > 0:
            A[0, 0] = A[0, 0] - 1
            if A[0, 0] == 3:
                continue
            else:
                break
        if A[1, 1] == 0:
            return
        A[1, 1] = 5
