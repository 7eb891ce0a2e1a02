# row: calls by name
# section: 2c
# does: prints
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    A[0] = T.call_pure_extern("float32", "expf", A[1])  #<
    A[1] = T.call_intrin("float32", "tir.exp", A[1])  #<
    A[2] = T.call_llvm_pure_intrin("float32", "llvm.sqrt.f32", T.uint32(1), A[2])  #<
    T.evaluate(T.call_packed("env.f", A.data))  #<
    T.evaluate(T.call_cpacked("env.g", A.data))  #<
