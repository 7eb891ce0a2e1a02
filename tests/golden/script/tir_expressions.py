# run: tenon fmt %s
# Casts, selections, vectors, typed literals, reinterpretation, addresses.
@T.prim_func
def f(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "int32"), a: T.int32, U: T.Buffer((4,), "uint32"), D: T.Buffer((4,), "float64")):
    A[0] = T.Cast("float32", a)
    A[1] = T.cast(a, "float32")
    C[0] = T.Cast("int32", A[1])
    A[2] = T.Select(a < 3, A[0], A[1])
    A[3] = T.if_then_else(a < 3, A[0], A[a])
    A[0:4] = T.Broadcast(A[5], 4)
    C[0:4] = T.Ramp(a, 2, 4)
    A[0:4] = T.Shuffle([A[0:2], A[2:4]], [3, 2, 1, 0])
    A[4] = T.float32("inf")
    A[5] = T.float32("-inf")
    A[6] = T.float32("nan")
    A[7] = T.float32(0.1)
    A[8] = T.float32(1e-30)
    D[0] = T.float64(0.1)
    D[1] = T.max_value("float64")
    A[9] = T.min_value("float32")
    A[10] = T.infinity("float32")
    C[5] = T.max_value("int32")
    U[0] = T.reinterpret("uint32", A[0])
    U[1] = T.uint32(4294967295)
    if T.likely(a < 4):
        T.evaluate(T.call_extern("int32", "f", T.address_of(A[a])))
    T.evaluate(T.call_extern("int32", "g", A.access_ptr("r"), A.data))
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "int32"), a: T.int32, U: T.Buffer((4,), "uint32"), D: T.Buffer((4,), "float64")):
        A[0] = T.Cast("float32", a)
        A[1] = T.Cast("float32", a)
        C[0] = T.Cast("int32", A[1])
        A[2] = T.Select(a < 3, A[0], A[1])
        A[3] = T.if_then_else(a < 3, A[0], A[a])
        A[0:4] = T.Broadcast(A[5], 4)
        C[0:4] = T.Ramp(a, 2, 4)
        A[0:4] = T.Shuffle([A[0:2], A[2:4]], [3, 2, 1, 0])
        A[4] = T.float32("inf")
        A[5] = T.float32("-inf")
        A[6] = T.float32("nan")
        A[7] = T.float32(0.1)
        A[8] = T.float32(1e-30)
        D[0] = T.float64(0.1)
        D[1] = T.float64(1.7976931348623157e+308)
        A[9] = T.float32(-3.4028235e+38)
        A[10] = T.float32("inf")
        C[5] = 2147483647
        U[0] = T.reinterpret("uint32", A[0])
        U[1] = T.uint32(4294967295)
        if T.likely(a < 4):
            T.call_extern("int32", "f", T.address_of(A[a]))
        T.call_extern("int32", "g", T.tvm_access_ptr(T.type_annotation("float32"), A.data, 0, 32, 1), A.data)
