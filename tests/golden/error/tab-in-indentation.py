# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
	A[0] = A[1]
# expect:
%s:4:1: error: tab in the indentation: use spaces [tab-in-indentation]
	A[0] = A[1]
^
