# Every function of numbers, whose code must not import one.
from tvm.script import tir as T


@T.prim_func
def one(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float16")):
    for i in range(64):
        A[i] = T.exp(A[i]) + T.exp2(A[i]) + T.exp10(A[i]) + T.log(A[i]) + T.log2(A[i]) + T.log10(A[i])
        A[i] = T.log1p(A[i]) + T.sin(A[i]) + T.cos(A[i]) + T.tan(A[i]) + T.asin(A[i]) + T.acos(A[i])
        A[i] = T.atan(A[i]) + T.sinh(A[i]) + T.cosh(A[i]) + T.tanh(A[i]) + T.asinh(A[i]) + T.acosh(A[i])
        A[i] = T.atanh(A[i]) + T.erf(A[i]) + T.sigmoid(A[i]) + T.sqrt(A[i]) + T.rsqrt(A[i]) + T.fabs(A[i])
        A[i] = T.floor(A[i]) + T.ceil(A[i]) + T.trunc(A[i]) + T.round(A[i]) + T.nearbyint(A[i])
        B[i] = T.exp(B[i]) + T.exp2(B[i]) + T.exp10(B[i]) + T.log(B[i]) + T.log2(B[i]) + T.log10(B[i])
        B[i] = T.log1p(B[i]) + T.sin(B[i]) + T.cos(B[i]) + T.tan(B[i]) + T.asin(B[i]) + T.acos(B[i])
        B[i] = T.atan(B[i]) + T.sinh(B[i]) + T.cosh(B[i]) + T.tanh(B[i]) + T.asinh(B[i]) + T.acosh(B[i])
        B[i] = T.atanh(B[i]) + T.erf(B[i]) + T.sigmoid(B[i]) + T.sqrt(B[i]) + T.rsqrt(B[i]) + T.fabs(B[i])
        B[i] = T.floor(B[i]) + T.ceil(B[i]) + T.trunc(B[i]) + T.round(B[i]) + T.nearbyint(B[i])
        C[i] = T.exp(C[i]) + T.tanh(C[i]) + T.floor(C[i]) + T.round(C[i]) + T.fma(C[i], C[i], C[i])


@T.prim_func
def lesser(A: T.Buffer((61,), "float16"), B: T.Buffer((61,), "bfloat16"), C: T.Buffer((1,), "float16")):
    for i in range(61):
        A[i] = T.min(T.max(A[i], T.float16(0)), T.float16(6))
        B[i] = T.min(T.max(B[i], T.bfloat16(0)), T.bfloat16(6))
        C[0] = T.max(T.Select(A[i] < T.Cast("float16", i), A[i], T.Cast("float16", i)), C[0])


@T.prim_func
def more(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float64")):
    for i in range(64):
        A[i] = T.pow(A[i], A[i]) + T.atan2(A[i], A[i]) + T.fmod(A[i], A[i]) + T.hypot(A[i], A[i])
        A[i] = T.copysign(A[i], A[i]) + T.nextafter(A[i], A[i]) + T.ldexp(A[i], i) + T.fma(A[i], A[i], A[i])
        B[i] = T.pow(B[i], B[i]) + T.atan2(B[i], B[i]) + T.fmod(B[i], B[i]) + T.hypot(B[i], B[i])
        B[i] = T.copysign(B[i], B[i]) + T.nextafter(B[i], B[i]) + T.ldexp(B[i], i) + T.fma(B[i], B[i], B[i])
        A[i] = T.call_llvm_pure_intrin("float32", "llvm.exp", A[i])
        A[i] = T.call_llvm_pure_intrin("float32", "llvm.pow", A[i], A[i])
        A[i] = T.call_llvm_pure_intrin("float32", "llvm.fma", A[i], A[i], A[i])
        B[i] = T.call_llvm_pure_intrin("float64", "llvm.fmuladd", B[i], B[i], B[i])
        B[i] = T.call_llvm_pure_intrin("float64", "llvm.round", B[i])
        B[i] = T.call_llvm_pure_intrin("float64", "llvm.roundeven", B[i])
        B[i] = T.call_llvm_pure_intrin("float64", "llvm.maxnum", B[i], B[i])
        B[i] = T.call_llvm_pure_intrin("float64", "llvm.minimum", B[i], B[i])
