# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = T.Select(n > 0, A[1])
    for i in T.thread_binding(4):
        A[i] = A[0]
    A[1] = T.call_extern()
# expect:
%s:4:12: error: Select needs the argument 'false_value' [missing-argument]
    A[0] = T.Select(n > 0, A[1])
           ^~~~~~~~~~~~~~~~~~~~~
%s:5:14: error: T.thread_binding needs the argument 'thread' [missing-argument]
    for i in T.thread_binding(4):
             ^~~~~~~~~~~~~~~~~~~
%s:7:12: error: 'call_extern' needs its result type first [missing-argument]
    A[1] = T.call_extern()
           ^~~~~~~~~~~~~~~
