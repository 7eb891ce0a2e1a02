# run: tenon fmt %s
# Scalar parameters and a result.
@T.prim_func
def f(n: T.int32, eps: T.float32, flag: T.bool, big: T.uint64, A: T.Buffer((16,), "float32")):
    for i in range(n):
        A[i] = A[i] + eps
    if flag:
        A[0] = T.Cast("float32", big)


@T.prim_func
def g(x: T.int32) -> T.int32:
    return x * 2 + 1
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(n: T.int32, eps: T.float32, flag: T.bool, big: T.uint64, A: T.Buffer((16,), "float32")):
        for i in range(n):
            A[i] = A[i] + eps
        if flag:
            A[0] = T.Cast("float32", big)

    @T.prim_func
    def g(x: T.int32) -> T.int32:
        return x * 2 + 1
