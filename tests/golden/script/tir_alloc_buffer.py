# run: tenon fmt %s
# Buffers of blocks; at the level of the function they belong to the root block, which is not printed.
@T.prim_func
def f(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
    C = T.alloc_buffer((8, 8))
    D = T.alloc_buffer((8,), "int32", scope="local")
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            t = T.alloc_buffer((2,), "float32", scope="local")
            t[0] = A[vi, vj]
            C[vi, vj] = t[0] + T.float32(1)
    for i in range(8):
        with T.block("D"):
            vi = T.axis.remap("S", [i])
            D[vi] = vi
    for i, j in T.grid(8, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = C[vi, vj] + T.Cast("float32", D[vi])
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
        # with T.block("root"):
        C = T.alloc_buffer((8, 8))
        D = T.alloc_buffer((8,), "int32", scope="local")
        for i, j in T.grid(8, 8):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(C[vi, vj])
                t = T.alloc_buffer((2,), scope="local")
                t[0] = A[vi, vj]
                C[vi, vj] = t[0] + T.float32(1.0)
        for i in range(8):
            with T.block("D"):
                vi = T.axis.remap("S", [i])
                T.reads()
                T.writes(D[vi])
                D[vi] = vi
        for i, j in T.grid(8, 8):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(C[vi, vj], D[vi])
                T.writes(B[vi, vj])
                B[vi, vj] = C[vi, vj] + T.Cast("float32", D[vi])
