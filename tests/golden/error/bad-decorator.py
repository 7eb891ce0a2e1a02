# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = A[1]

@T.prim_fun
def g(A: T.Buffer((16,), "float32")):
    A[0] = A[1]

def h(A: T.Buffer((16,), "float32")):
    A[0] = A[1]
# expect:
%s:6:2: error: expected @T.prim_func or @R.function [bad-decorator]
@T.prim_fun
 ^~~~~~~~~~
  hint: did you mean 'T.prim_func'?
%s:10:1: error: function 'h' needs one decorator: @T.prim_func or @R.function [bad-decorator]
def h(A: T.Buffer((16,), "float32")):
^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
