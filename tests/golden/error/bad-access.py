# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[T.Ramp(0, 1, 4)] = T.Ramp(0, 1, 8)
    T.evaluate(T.call_extern("int32", "f", A.access_ptr("x")))
# expect:
%s:4:5: error: storing to buffer 'A': cannot cast int32x8 to float32x4 [bad-access]
    A[T.Ramp(0, 1, 4)] = T.Ramp(0, 1, 8)
    ^~~~~~~~~~~~~~~~~~
%s:5:57: error: expected "r", "w" or "rw" [bad-access]
    T.evaluate(T.call_extern("int32", "f", A.access_ptr("x")))
                                                        ^~~
