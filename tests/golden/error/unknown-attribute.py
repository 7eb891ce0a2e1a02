# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = A.shap
    A[1] = A.stride[0]
# expect:
%s:4:12: error: a buffer has no attribute 'shap' [unknown-attribute]
    A[0] = A.shap
           ^~~~~~
  hint: did you mean 'shape'?
%s:5:12: error: a buffer has no attribute 'stride' [unknown-attribute]
    A[1] = A.stride[0]
           ^~~~~~~~
  hint: did you mean 'strides'?
