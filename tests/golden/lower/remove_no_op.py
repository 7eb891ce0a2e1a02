# run: tenon opt --passes=remove_no_op %s
# What does nothing goes.
@T.prim_func
def f(A: T.Buffer((64,), "float32"), n: T.int32):
    for i in range(8):
        pass
    if n > 3:
        T.evaluate(0)
    x = A[0] + T.float32(1)
    p = T.allocate([4], "float32", "local")
    T.evaluate(n + 1)
    for i in range(8):
        if n > 3:
            A[i] = T.float32(0)
        else:
            pass
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((64,), "float32"), n: T.int32):
        for i in range(8):
            if n > 3:
                A[i] = T.float32(0.0)
