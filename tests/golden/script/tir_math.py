# run: tenon fmt %s
# Every function of numbers.
@T.prim_func
def f(A: T.Buffer((64,), "float32"), x: T.float32, y: T.float32, i: T.int32, C: T.Buffer((8,), "int32"), B: T.Buffer((4,), "bool")):
    A[0] = T.exp(x) + T.exp2(x) + T.exp10(x)
    A[1] = T.log(x) + T.log2(x) + T.log10(x) + T.log1p(x)
    A[2] = T.sin(x) + T.cos(x) + T.tan(x)
    A[3] = T.asin(x) + T.acos(x) + T.atan(x) + T.atan2(x, y)
    A[4] = T.sinh(x) + T.cosh(x) + T.tanh(x)
    A[5] = T.asinh(x) + T.acosh(x) + T.atanh(x)
    A[6] = T.erf(x) + T.sigmoid(x) + T.sqrt(x) + T.rsqrt(x)
    A[7] = T.pow(x, y) + T.fmod(x, y) + T.hypot(x, y)
    A[8] = T.copysign(x, y) + T.nextafter(x, y) + T.ldexp(x, i) + T.fma(x, y, x)
    A[9] = T.floor(x) + T.ceil(x) + T.trunc(x) + T.round(x) + T.nearbyint(x)
    A[10] = T.abs(x) + T.fabs(x)
    B[0] = T.isnan(x)
    B[1] = T.isinf(x) or T.isfinite(y)
    C[0] = T.popcount(i) + T.clz(i) + T.abs(i)
    C[1] = T.q_multiply_shift(i, 3, 31, 2)
    A[11] = T.undef("float32")
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((64,), "float32"), x: T.float32, y: T.float32, i: T.int32, C: T.Buffer((8,), "int32"), B: T.Buffer((4,), "bool")):
        A[0] = T.exp(x) + T.exp2(x) + T.exp10(x)
        A[1] = T.log(x) + T.log2(x) + T.log10(x) + T.log1p(x)
        A[2] = T.sin(x) + T.cos(x) + T.tan(x)
        A[3] = T.asin(x) + T.acos(x) + T.atan(x) + T.atan2(x, y)
        A[4] = T.sinh(x) + T.cosh(x) + T.tanh(x)
        A[5] = T.asinh(x) + T.acosh(x) + T.atanh(x)
        A[6] = T.erf(x) + T.sigmoid(x) + T.sqrt(x) + T.rsqrt(x)
        A[7] = T.pow(x, y) + T.fmod(x, y) + T.hypot(x, y)
        A[8] = T.copysign(x, y) + T.nextafter(x, y) + T.ldexp(x, i) + T.fma(x, y, x)
        A[9] = T.floor(x) + T.ceil(x) + T.trunc(x) + T.round(x) + T.nearbyint(x)
        A[10] = T.abs(x) + T.fabs(x)
        B[0] = T.isnan(x)
        B[1] = T.isinf(x) or T.isfinite(y)
        C[0] = T.popcount(i) + T.clz(i) + T.abs(i)
        C[1] = T.q_multiply_shift(i, 3, 31, 2)
        A[11] = T.undef("float32")
