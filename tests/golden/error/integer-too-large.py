# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[1] = T.int8(300)
    A[9223372036854775807 + 1] = A[0]
    A[0] = T.Cast("float32", T.uint8(-1))
    A[0] = A[-9223372036854775808 - 1]
# expect:
%s:4:19: error: integer 300 does not fit int8 [integer-too-large]
    A[1] = T.int8(300)
                  ^~~
%s:5:7: error: the result of '+' on these literals does not fit int64 [integer-too-large]
    A[9223372036854775807 + 1] = A[0]
      ^~~~~~~~~~~~~~~~~~~~~~~
%s:6:38: error: integer -1 does not fit uint8 [integer-too-large]
    A[0] = T.Cast("float32", T.uint8(-1))
                                     ^~
%s:7:14: error: the result of '-' on these literals does not fit int64 [integer-too-large]
    A[0] = A[-9223372036854775808 - 1]
             ^~~~~~~~~~~~~~~~~~~~~~~~
