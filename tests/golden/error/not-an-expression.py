# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = A
    A[1] = None
    x: T.float32
    A[2] = T.exp
    A[3] = lambda x: x
# expect:
%s:4:12: error: expected an expression, got a buffer [not-an-expression]
    A[0] = A
           ^
  hint: write its indices, as in A[i, j], or A.data for its pointer
%s:5:12: error: expected an expression, got None [not-an-expression]
    A[1] = None
           ^~~~
%s:6:5: error: expected 'name: T.type = value' [bad-target]
    x: T.float32
    ^~~~~~~~~~~~
%s:7:12: error: 'T.exp' is no value here: did you mean to call it? [not-an-expression]
    A[2] = T.exp
           ^~~~~
%s:8:12: error: a lambda stands only in T.comm_reducer and T.index_map [not-an-expression]
    A[3] = lambda x: x
           ^~~~~~~~~~~
