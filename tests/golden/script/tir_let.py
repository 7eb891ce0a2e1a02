# run: tenon fmt %s
# Names for values: plain, annotated, as a block, inside an expression.
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    x = A[0] * T.float32(2)
    A[1] = x
    y: T.float32 = x + T.float32(1)
    A[2] = y
    with T.LetStmt(A[3]) as z:
        A[4] = z
    v = T.float32()
    A[5] = T.Let(v + v, where={v: A[6]})
    for i in range(4):
        w = i * 2
        A[w] = A[w + 1]
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((16,), "float32")):
        x: T.float32 = A[0] * T.float32(2.0)
        A[1] = x
        y: T.float32 = x + T.float32(1.0)
        A[2] = y
        z: T.float32 = A[3]
        A[4] = z
        A[5] = T.Let(v + v, where={v: A[6]})
        for i in range(4):
            w: T.int32 = i * 2
            A[w] = A[w + 1]
