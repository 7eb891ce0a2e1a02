# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0:n] = A[0:4]
    A[4:0] = A[0:4]
    A[0:8:n] = A[0:4]
    with T.block("b"):
        T.reads(A[0:8:2])
        A[0] = A[1]
# expect:
%s:4:7: error: a slice that is read or written as a value needs a constant positive length and step [bad-slice]
    A[0:n] = A[0:4]
      ^~~
%s:5:7: error: a slice that is read or written as a value needs a constant positive length and step [bad-slice]
    A[4:0] = A[0:4]
      ^~~
%s:6:11: error: expected a constant integer, got an expression [not-a-constant]
    A[0:8:n] = A[0:4]
          ^
%s:8:19: error: a region has no step [bad-slice]
        T.reads(A[0:8:2])
                  ^~~~~
