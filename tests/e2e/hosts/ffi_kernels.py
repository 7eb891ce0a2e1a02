# Kernels for a host of tvm-ffi: with symbolic sizes, scalars of each kind, a result, a parallel
# loop, a call by name, and one that refuses.
from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Kernels:
    @T.prim_func
    def add(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        C = T.match_buffer(c, (n,))
        for i in T.parallel(n):
            with T.block("C"):
                vi = T.axis.spatial(n, i)
                C[vi] = A[vi] + B[vi]

    @T.prim_func
    def mix(X: T.Buffer((4,), "float32"), n: T.int32, is_on: T.bool, f: T.float64):
        for i in range(4):
            if is_on and i < n:
                X[i] = X[i] * T.Cast("float32", f)

    @T.prim_func
    def twice(n: T.int64) -> T.int64:
        return n * T.int64(2)

    @T.prim_func
    def half(x: T.float32) -> T.float32:
        return x * T.float32(0.5)

    @T.prim_func
    def is_odd(n: T.int32) -> T.bool:
        return n % 2 == 1

    @T.prim_func
    def ask(y: T.float32):
        T.call_packed("host.answer", 40, y)

    @T.prim_func
    def picky(n: T.int32):
        assert n > 0, "n must be positive"
        T.evaluate(0)

    @T.prim_func(private=True)
    def hidden(X: T.Buffer((4,), "float32")):
        X[0] = T.float32(0)
