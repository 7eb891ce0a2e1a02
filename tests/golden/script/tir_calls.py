# run: tenon fmt %s
# Calls out: extern, pure, packed, intrinsics by name.
@T.prim_func
def f(A: T.Buffer((8,), "float32"), n: T.int32):
    T.evaluate(T.call_extern("int32", "f", A.data, n))
    A[0] = T.call_pure_extern("float32", "sinf", A[1])
    T.evaluate(T.call_packed("env.log", n, "text"))
    T.call_packed("env.log", A, A.data, T.address_of(A[1]))
    T.evaluate(T.call_cpacked("env.log", A.data, n))
    A[1] = T.call_llvm_pure_intrin("float32", "llvm.sqrt", A[2])
    T.evaluate(T.tvm_access_ptr(T.type_annotation("float32"), A.data, 0, 8, 1))
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8,), "float32"), n: T.int32):
        T.call_extern("int32", "f", A.data, n)
        A[0] = T.call_pure_extern("float32", "sinf", A[1])
        T.call_packed("env.log", n, "text")
        T.call_packed("env.log", A, A.data, T.address_of(A[1]))
        T.call_cpacked("env.log", A.data, n)
        A[1] = T.sqrt(A[2])
        T.tvm_access_ptr(T.type_annotation("float32"), A.data, 0, 8, 1)
