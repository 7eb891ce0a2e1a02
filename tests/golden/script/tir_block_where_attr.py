# run: tenon fmt %s
# A predicate, attributes, explicit and empty regions.
@T.prim_func
def f(A: T.Buffer((30,), "float32"), B: T.Buffer((30,), "float32")):
    for i, j in T.grid(8, 4):
        with T.block("B"):
            T.where(i * 4 + j < 30)
            vi = T.axis.spatial(30, i * 4 + j)
            T.reads(A[vi])
            T.writes(B[vi])
            T.block_attr({"meta_schedule.tiling_structure": "SSRSRS", "n": 3})
            B[vi] = A[vi] * T.float32(2)
    with T.block("empty"):
        T.reads()
        T.writes()
        T.evaluate(T.call_extern("int32", "hello"))
    with T.block("slices"):
        T.reads(A[0:8], A[20:30])
        T.writes(B[0:30])
        for i in range(8):
            B[i] = A[i] + A[i + 20]
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((30,), "float32"), B: T.Buffer((30,), "float32")):
        for i, j in T.grid(8, 4):
            with T.block("B"):
                vi = T.axis.spatial(30, i * 4 + j)
                T.where(i * 4 + j < 30)
                T.reads(A[vi])
                T.writes(B[vi])
                T.block_attr({"meta_schedule.tiling_structure": "SSRSRS", "n": 3})
                B[vi] = A[vi] * T.float32(2.0)
        with T.block("empty"):
            T.reads()
            T.writes()
            T.call_extern("int32", "hello")
        with T.block("slices"):
            T.reads(A[0:8], A[20:30])
            T.writes(B[0:30])
            for i in range(8):
                B[i] = A[i] + A[i + 20]
