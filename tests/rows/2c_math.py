# row: mathematics
# section: 2c
# does: runs
# same: 2022
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "float32"), B: T.Buffer((13, 4), "float32"), C: T.Buffer((4,), "int32"), D: T.Buffer((3, 4), "bool")):
    for i in range(4):
        x = A[i]
        y = A[3 - i]
        B[0, i] = T.exp(x) + T.exp2(x) + T.exp10(x) + T.erf(x) + T.sigmoid(x)  #<
        B[1, i] = T.log(T.abs(x)) + T.log2(x + 2.0) + T.log10(x + 2.0) + T.log1p(x)  #<
        B[2, i] = T.sin(x) + T.cos(x) + T.tan(x) + T.asin(x) + T.acos(x) + T.atan(x) + T.atan2(x, y)  #<
        B[3, i] = T.sinh(x) + T.cosh(x) + T.tanh(x) + T.asinh(x) + T.acosh(x + 2.0) + T.atanh(x)  #<
        B[4, i] = T.sqrt(x + 1.0) + T.rsqrt(x + 2.0) + T.pow(x + 2.0, y) + T.hypot(x, y) + T.fmod(x, y)  #<
        B[5, i] = T.copysign(x, y) + T.nextafter(x, y) + T.ldexp(x, i) + T.fma(x, y, x)  #<
        B[6, i] = T.floor(x) + T.ceil(x) + T.trunc(x) + T.round(x) + T.nearbyint(x)  #<
        C[i] = T.popcount(i) + T.clz(i + 1) + T.q_multiply_shift(i, 3, 31, 2)  #<
        C[i] = T.shift_left(C[i], 2) + T.shift_right(C[i], 1) + T.bitwise_and(C[i], 3) + T.bitwise_or(C[i], 8) + T.bitwise_xor(C[i], 5) + T.bitwise_not(C[i])  #<
        D[0, i] = T.isnan(x)  #<
        D[1, i] = T.isinf(x)  #<
        D[2, i] = T.isfinite(x)  #<
    for j in range(4):
        B[7, j] = T.min_value("float32") + T.max_value("float32")  #<
        B[8, j] = T.infinity("float32")  #<
        B[9, j] = T.Cast("float32", T.floordiv(j, 3) + T.floormod(j, 3) + T.ceildiv(j, 3))  #<
        B[10, j] = T.if_then_else(T.likely(j < 2), T.float32(1), T.float32(2))  #<
        B[11, j] = T.float32(0)
        B[12, j] = T.float32(0)
