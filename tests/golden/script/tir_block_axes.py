# run: tenon fmt %s
# Axes of each kind; remap is printed only where every axis is a bare loop variable over the whole loop.
@T.prim_func
def f(A: T.Buffer((128, 64), "float32"), B: T.Buffer((128,), "float32")):
    for i, k in T.grid(128, 64):
        with T.block("short"):
            vi = T.axis.S(128, i)
            vk = T.axis.R(64, k)
            T.reads(A[vi, vk])
            T.writes(B[vi])
            B[vi] = B[vi] + A[vi, vk]
    for i, k in T.grid(32, 4):
        with T.block("computed"):
            vi = T.axis.spatial(128, i * 4 + k)
            B[vi] = T.float32(0)
    for i, k in T.grid(128, 6):
        with T.block("range"):
            vi = T.axis.spatial(128, i)
            vk = T.axis.reduce((2, 8), k + 2)
            B[vi] = B[vi] + A[vi, vk]
    for i in range(128):
        with T.block("scan"):
            vi = T.axis.scan(128, i)
            B[vi] = A[vi, 0]
    for i in range(128):
        with T.block("opaque"):
            vi = T.axis.opaque(128, i)
            B[vi] = A[vi, 0]
    with T.block("none"):
        B[0] = T.float32(1)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((128, 64), "float32"), B: T.Buffer((128,), "float32")):
        for i, k in T.grid(128, 64):
            with T.block("short"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi])
                B[vi] = B[vi] + A[vi, vk]
        for i, k in T.grid(32, 4):
            with T.block("computed"):
                vi = T.axis.spatial(128, i * 4 + k)
                T.reads()
                T.writes(B[vi])
                B[vi] = T.float32(0.0)
        for i, k in T.grid(128, 6):
            with T.block("range"):
                vi = T.axis.spatial(128, i)
                vk = T.axis.reduce((2, 8), k + 2)
                T.reads(B[vi], A[vi, vk])
                T.writes(B[vi])
                B[vi] = B[vi] + A[vi, vk]
        for i in range(128):
            with T.block("scan"):
                vi = T.axis.scan(128, i)
                T.reads(A[vi, 0])
                T.writes(B[vi])
                B[vi] = A[vi, 0]
        for i in range(128):
            with T.block("opaque"):
                vi = T.axis.opaque(128, i)
                T.reads(A[vi, 0])
                T.writes(B[vi])
                B[vi] = A[vi, 0]
        with T.block("none"):
            T.reads()
            T.writes(B[0])
            B[0] = T.float32(1.0)
