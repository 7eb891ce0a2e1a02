# run: tenon fmt %s
# A name may come again in another scope; what has the same name in the printed scope gets a number.
@T.prim_func
def f(A: T.Buffer((8,), "float32"), p: T.handle, q: T.handle):
    for i in range(8):
        x = A[i]
        A[i] = x
    for i in range(8):
        x = A[i]
        for j in range(8):
            y = x + A[j]
            A[j] = y
    with T.LetStmt(A[0]) as x:
        A[1] = x
    with T.LetStmt(A[2]) as x:
        A[3] = x
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8,), "float32"), p: T.handle, q: T.handle):
        for i in range(8):
            x: T.float32 = A[i]
            A[i] = x
        for i in range(8):
            x: T.float32 = A[i]
            for j in range(8):
                y: T.float32 = x + A[j]
                A[j] = y
        x: T.float32 = A[0]
        A[1] = x
        x_1: T.float32 = A[2]
        A[3] = x_1
