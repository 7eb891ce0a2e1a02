# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = T.Cast("flot32", n)
    B = T.alloc_buffer((4,), "float31")
    A[1] = T.int33(3)
    A[2] = T.infinity("int32")
# expect:
%s:4:19: error: unknown dtype 'flot32' [unknown-dtype]
    A[0] = T.Cast("flot32", n)
                  ^~~~~~~~
  hint: did you mean 'float32'?
%s:5:30: error: unknown dtype 'float31' [unknown-dtype]
    B = T.alloc_buffer((4,), "float31")
                             ^~~~~~~~~
  hint: did you mean 'float32'?
%s:6:12: error: unknown dtype 'int33' [unknown-dtype]
    A[1] = T.int33(3)
           ^~~~~~~
  hint: did you mean 'int32'?
%s:7:23: error: T.infinity takes a float type [unknown-dtype]
    A[2] = T.infinity("int32")
                      ^~~~~~~
