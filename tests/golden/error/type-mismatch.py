# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = "text"
    A[1] = n & A[0]
    A[2] = A[0:4] + A[0:8]
    A[3] = T.reinterpret("int64", A[0])
    T.evaluate(T.Select(n > 0, A[0], "x"))
    A[4] = T.int32("nan")
    A[5] = ~A[0]
# expect:
%s:4:5: error: storing to buffer 'A': cannot cast handle to float32 [bad-access]
    A[0] = "text"
    ^~~~
%s:5:12: error: '&' takes integers, not float32 [type-mismatch]
    A[1] = n & A[0]
           ^~~~~~~~
%s:6:12: error: '+' cannot take float32x4 and float32x8 [type-mismatch]
    A[2] = A[0:4] + A[0:8]
           ^~~~~~~~~~~~~~~
%s:7:12: error: cannot reinterpret float32 as int64: their widths differ [type-mismatch]
    A[3] = T.reinterpret("int64", A[0])
           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
%s:8:16: error: 'Select' cannot take float32 and handle [type-mismatch]
    T.evaluate(T.Select(n > 0, A[0], "x"))
               ^~~~~~~~~~~~~~~~~~~~~~~~~~
%s:9:20: error: expected a number, or "inf", "-inf", "nan" for a float [type-mismatch]
    A[4] = T.int32("nan")
                   ^~~~~
%s:10:12: error: '~' takes an integer, not float32 [type-mismatch]
    A[5] = ~A[0]
           ^~~~~
