# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    for i in T.vectorised(4):
        A[i] = A[0]
    for i in n:
        A[i] = A[0]
    for i in [1, 2]:
        A[i] = A[0]
# expect:
%s:4:14: error: expected range, T.serial, T.parallel, T.vectorized, T.unroll, T.thread_binding or T.grid after 'in' [unknown-loop]
    for i in T.vectorised(4):
             ^~~~~~~~~~~~
  hint: did you mean 'T.vectorized'?
%s:6:14: error: expected range, T.serial, T.parallel, T.vectorized, T.unroll, T.thread_binding or T.grid after 'in' [unknown-loop]
    for i in n:
             ^
%s:8:14: error: expected range, T.serial, T.parallel, T.vectorized, T.unroll, T.thread_binding or T.grid after 'in' [unknown-loop]
    for i in [1, 2]:
             ^~~~~~
