# run: tenon fmt %s
# Assertions in their three forms, both forms of T.prefetch, both forms of a result.
@T.prim_func
def f(A: T.Buffer((16, 64), "float32"), n: T.int32) -> T.int32:
    T.func_name("f")
    assert n > 0, "n is not positive"
    with T.Assert(n < 12, "n is too large"):
        x = A[n, 0]
        A[n, 1] = x
    T.Assert(n != 5)
    T.prefetch(T.address_of(A[n, 0]), 1, 3, 1)
    T.prefetch(A, [T.Range(n, n + 2), T.Range(0, 40)])
    T.prefetch(A, [T.Range(2), T.Range(n, 40)])
    if n > 3:
        T.ret(n)
    return n + 1
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((16, 64), "float32"), n: T.int32) -> T.int32:
        assert n > 0, "n is not positive"
        assert n < 12, "n is too large"
        x: T.float32 = A[n, 0]
        A[n, 1] = x
        assert n != 5, ""
        T.prefetch(T.address_of(A[n, 0]), 1, 3, 1)
        for i, i_1 in T.grid(2, 3):
            T.prefetch(T.address_of(A[n + i, i_1 * 16]), 0, 3, 1)
        for i, i_1 in T.grid(2, (40 - n + 15) // 16):
            T.prefetch(T.address_of(A[i, n + i_1 * 16]), 0, 3, 1)
        if n > 3:
            return n
        return n + 1
