# run: not tenon check %s
# a slice is a vector and no number
@T.prim_func
def f(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    B[0] = A[0:4]
    B[0:2] = A[0:4]
    for i in range(8):
        B[i] = A[i:]
# expect:
%s:5:5: error: storing to buffer 'B': cannot cast float32x4 to float32 [bad-access]
    B[0] = A[0:4]
    ^~~~
%s:6:5: error: storing to buffer 'B': cannot cast float32x4 to float32x2 [bad-access]
    B[0:2] = A[0:4]
    ^~~~~~
%s:8:18: error: a slice that is read or written as a value needs a constant positive length and step [bad-slice]
        B[i] = A[i:]
                 ^~
