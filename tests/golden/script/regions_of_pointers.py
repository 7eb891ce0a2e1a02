# run: tenon fmt %s
@T.prim_func
def f(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32"), C: T.Buffer((4,), "float32"), h: T.handle):
    for i in range(4):
        with T.block("a"):
            vi = T.axis.spatial(4, i)
            V = T.decl_buffer((16,), "float32", data=B.data)
            V[vi] = A[vi, 0]
        with T.block("b"):
            vi = T.axis.spatial(4, i)
            T.evaluate(T.call_extern("int32", "foo", T.address_of(A[vi, 0]), B.data, C.access_ptr("w"), h))
        with T.block("c"):
            vi = T.axis.spatial(4, i)
            S = T.alloc_buffer((4,))
            p = T.allocate([4], "float32", "global")
            q = T.decl_buffer((4,), "float32", data=p)
            q[0] = A[vi, 1]
            T.evaluate(T.call_extern("int32", "foo", S.data, p))
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32"), C: T.Buffer((4,), "float32"), h: T.handle):
        for i in range(4):
            with T.block("a"):
                vi = T.axis.remap("S", [i])
                T.reads(A[vi, 0])
                T.writes(B[0:4, 0:4])
                V = T.decl_buffer((16,), data=B.data)
                V[vi] = A[vi, 0]
            with T.block("b"):
                vi = T.axis.remap("S", [i])
                T.reads(A[0:4, 0:4], B[0:4, 0:4])
                T.writes(A[0:4, 0:4], B[0:4, 0:4], C[0:4])
                T.call_extern("int32", "foo", T.address_of(A[vi, 0]), B.data, T.tvm_access_ptr(T.type_annotation("float32"), C.data, 0, 4, 2), h)
            with T.block("c"):
                vi = T.axis.remap("S", [i])
                T.reads(A[vi, 1])
                T.writes()
                S = T.alloc_buffer((4,))
                p = T.allocate([4], "float32", "global")
                q = T.decl_buffer((4,), data=p)
                q[0] = A[vi, 1]
                T.call_extern("int32", "foo", S.data, p)
