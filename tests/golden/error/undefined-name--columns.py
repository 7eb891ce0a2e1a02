# run: not tenon check %s
# Columns count characters: of UTF-8 text, and a tab is one.
@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    T.evaluate(T.call_extern("int32", "hé€", AA.data))
    A[0] =	A[1] +	BB[1]
# expect:
%s:5:46: error: undefined name 'AA' [undefined-name]
    T.evaluate(T.call_extern("int32", "hé€", AA.data))
                                             ^~
  hint: Python's modules are not here; what a program may call is T.*, R.* and I.*
%s:6:19: error: undefined name 'BB' [undefined-name]
    A[0] =	A[1] +	BB[1]
          	      	^~
  hint: -D BB=VALUE gives it a value from outside
