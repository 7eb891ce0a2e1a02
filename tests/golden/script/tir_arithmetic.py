# run: tenon fmt %s
# Operators with the brackets that they need and no others.
@T.prim_func
def f(A: T.Buffer((32,), "int32"), a: T.int32, b: T.int32, c: T.int32, p: T.bool, q: T.bool, B: T.Buffer((8,), "bool")):
    A[0] = a + b * c
    A[1] = (a + b) * c
    A[2] = a - (b - c)
    A[3] = a - b - c
    A[4] = a // b % c
    A[5] = a // (b % c)
    A[6] = -a
    A[7] = -(a + b)
    A[8] = T.truncdiv(a, b) + T.truncmod(a, b)
    A[9] = a & b | c ^ a
    A[10] = a & (b | c)
    A[11] = ~a
    A[12] = a << 2 >> b
    A[13] = a << (b + c)
    A[14] = T.shift_left(a, b) + T.shift_right(a, b)
    A[15] = T.bitwise_and(a, b) + T.bitwise_or(a, T.bitwise_xor(b, T.bitwise_not(c)))
    B[0] = a < b and b <= c
    B[1] = a == b or not p and q
    B[2] = not (p or q)
    B[3] = a > b
    B[4] = a != b and a >= c
    B[5] = (a < b) == p
    A[16] = T.min(a, T.max(b, c))
    A[17] = a / b
    A[18] = T.Div(a, b)
    A[19] = 2 + 3 * 4
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((32,), "int32"), a: T.int32, b: T.int32, c: T.int32, p: T.bool, q: T.bool, B: T.Buffer((8,), "bool")):
        A[0] = a + b * c
        A[1] = (a + b) * c
        A[2] = a - (b - c)
        A[3] = a - b - c
        A[4] = a // b % c
        A[5] = a // (b % c)
        A[6] = -a
        A[7] = -(a + b)
        A[8] = T.truncdiv(a, b) + T.truncmod(a, b)
        A[9] = a & b | c ^ a
        A[10] = a & (b | c)
        A[11] = ~a
        A[12] = a << 2 >> b
        A[13] = a << b + c
        A[14] = (a << b) + (a >> b)
        A[15] = (a & b) + (a | b ^ ~c)
        B[0] = a < b and b <= c
        B[1] = a == b or not p and q
        B[2] = not (p or q)
        B[3] = a > b
        B[4] = a != b and a >= c
        B[5] = (a < b) == p
        A[16] = T.min(a, T.max(b, c))
        A[17] = T.truncdiv(a, b)
        A[18] = T.truncdiv(a, b)
        A[19] = 14
