# run: tenon fmt %s
# One loop function calls another: through the class, through cls, by its bare name; buffers, pointers,
# numbers that take the parameters' types; as a statement and as a value.
@I.ir_module
class M:
    @T.prim_func
    def main(A: T.Buffer((8, 4), "float32"), B: T.Buffer((8,), "int32")):
        M.scale(A, 3, 2)
        cls = M
        cls.scale(A, B[0] % 4, T.float32(0.5))
        T.evaluate(cls.scale(A, 1, 1.5))
        x: T.int32 = cls.count(A.data, 32)
        B[1] = x + count(T.address_of(A[2, 0]), 8)
        for i in range(8):
            with T.block("b"):
                vi = T.axis.spatial(8, i)
                V = T.match_buffer(A[vi, 0:4], (1, 4), offset_factor=1)
                cls.scale(V, vi, 2)

    @T.prim_func(private=True)
    def scale(a: T.handle, k: T.int64, s: T.float32):
        n = T.int32()
        A = T.match_buffer(a, (n, 4))
        for i, j in T.grid(n, 4):
            A[i, j] = A[i, j] * s + T.Cast("float32", k)

    @T.prim_func(private=True)
    def count(p: T.handle, n: T.int32) -> T.int32:
        A = T.match_buffer(p, (n,))
        if n == 0:
            return 0
        return M.count(p, n - 1) + 1
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class M:
    @T.prim_func(private=True)
    def count(p: T.handle, n: T.int32) -> T.int32:
        cls = M
        A = T.match_buffer(p, (n,))
        if n == 0:
            return 0
        return cls.count(p, n - 1) + 1

    @T.prim_func(private=True)
    def scale(a: T.handle, k: T.int64, s: T.float32):
        n = T.int32()
        A = T.match_buffer(a, (n, 4))
        for i, j in T.grid(n, 4):
            A[i, j] = A[i, j] * s + T.Cast("float32", k)

    @T.prim_func
    def main(A: T.Buffer((8, 4), "float32"), B: T.Buffer((8,), "int32")):
        cls = M
        cls.scale(A, T.int64(3), T.float32(2.0))
        cls.scale(A, T.Cast("int64", B[0] % 4), T.float32(0.5))
        cls.scale(A, T.int64(1), T.float32(1.5))
        x: T.int32 = cls.count(A.data, 32)
        B[1] = x + cls.count(T.address_of(A[2, 0]), 8)
        for i in range(8):
            with T.block("b"):
                vi = T.axis.remap("S", [i])
                T.reads(A[vi, 0:4])
                T.writes(A[vi, 0:4])
                V_elem_offset = T.int32()
                V = T.match_buffer(A[vi, 0:4], (1, 4), elem_offset=V_elem_offset)
                cls.scale(V, T.Cast("int64", vi), T.float32(2.0))
