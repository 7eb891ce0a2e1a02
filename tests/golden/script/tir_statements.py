# run: tenon fmt %s
# evaluate, assert, return, prefetch.
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32) -> T.int32:
    assert n == 4, "n must be 4"
    T.evaluate(T.call_extern("int32", "hello", A.data, n))
    T.evaluate(0)
    T.prefetch(T.address_of(A[0]), 0, 3, 1)
    T.ret(n + 1)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((16,), "float32"), n: T.int32) -> T.int32:
        assert n == 4, "n must be 4"
        T.call_extern("int32", "hello", A.data, n)
        T.evaluate(0)
        T.prefetch(T.address_of(A[0]), 0, 3, 1)
        return n + 1
