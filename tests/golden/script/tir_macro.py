# run: tenon fmt %s
# Macros stand in the text only: outside of the class and in it, in each other, with defaults and
# keywords. Hygienic ones see the names above them, others those of the call.
from tvm.script import ir as I
from tvm.script import tir as T

N = 16


@T.macro
def scale(A, i, factor=T.float32(2)):
    x = A[i] * factor
    A[i] = x


@T.macro()
def scale_twice(A, i):
    scale(A, i)
    scale(factor=T.float32(N), i=i, A=A)


@T.macro(hygienic=False)
def add_seen(out):
    out[i] = out[i] + x


@T.macro(hygienic=True)
def copy(dst, src, size, name):
    for i in range(size):
        with T.block(name):
            vi = T.axis.spatial(size, i)
            T.reads(src[vi])
            T.writes(dst[vi])
            dst[vi] = src[vi]


N = 8


@I.ir_module
class Module:
    @T.macro
    def zero(A, i):
        vi = T.axis.spatial(N, i)
        A[vi] = T.float32(0)

    @T.prim_func
    def f(A: T.Buffer((16,), "float32"), B: T.Buffer((8,), "float32")):
        t = T.alloc_buffer((8,))
        copy(t, B, 8, "load")
        for i in range(N):
            with T.block("zero"):
                zero(B, i)
        for i in range(N):
            x: T.float32 = A[i + N]
            add_seen(B)
            scale_twice(A, i=i)
        copy(B, t, size=8, name="store")
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((16,), "float32"), B: T.Buffer((8,), "float32")):
        # with T.block("root"):
        t = T.alloc_buffer((8,))
        for i in range(8):
            with T.block("load"):
                vi = T.axis.remap("S", [i])
                T.reads(B[vi])
                T.writes(t[vi])
                t[vi] = B[vi]
        for i in range(8):
            with T.block("zero"):
                vi = T.axis.remap("S", [i])
                T.reads()
                T.writes(B[vi])
                B[vi] = T.float32(0.0)
        for i in range(8):
            x: T.float32 = A[i + 8]
            B[i] = B[i] + x
            x_1: T.float32 = A[i] * T.float32(2.0)
            A[i] = x_1
            x_2: T.float32 = A[i] * T.float32(16.0)
            A[i] = x_2
        for i in range(8):
            with T.block("store"):
                vi = T.axis.remap("S", [i])
                T.reads(t[vi])
                T.writes(B[vi])
                B[vi] = t[vi]
