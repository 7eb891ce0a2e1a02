# run: tenon fmt %s
# while, if, elif, else, pass.
@T.prim_func
def f(A: T.Buffer((16,), "int32"), i: T.Buffer((1,), "int32"), n: T.int32):
    while i[0] < 10:
        i[0] = i[0] + 1
    if n > 3:
        A[0] = 1
    if n > 3 and n < 8:
        A[0] = 1
    else:
        A[0] = 2
    if n == 0:
        A[1] = 0
    elif n == 1:
        A[1] = 1
    else:
        A[1] = 2
    if n < 2:
        pass
    else:
        A[2] = 3
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((16,), "int32"), i: T.Buffer((1,), "int32"), n: T.int32):
        while i[0] < 10:
            i[0] = i[0] + 1
        if n > 3:
            A[0] = 1
        if n > 3 and n < 8:
            A[0] = 1
        else:
            A[0] = 2
        if n == 0:
            A[1] = 0
        else:
            if n == 1:
                A[1] = 1
            else:
                A[1] = 2
        if n < 2:
            pass
        else:
            A[2] = 3
