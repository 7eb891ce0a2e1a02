# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    B = T.alloc_buffer((4,), scop="local")
    A[0] = B[0]
# expect:
%s:4:30: error: alloc_buffer takes no argument 'scop' [unknown-argument]
    B = T.alloc_buffer((4,), scop="local")
                             ^~~~~~~~~~~~
  hint: did you mean 'scope'?
