# run: not tenon check %s
@T.prim_func(private=True)
def g(A: T.Buffer((4,), "float32")):
    T.func_attr({"global_symbol": "g"})
    A[0] = A[1]
# expect:
%s:3:1: error: private function 'g' has a global_symbol [private-with-symbol]
def g(A: T.Buffer((4,), "float32")):
^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
