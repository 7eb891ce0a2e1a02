# run: not tenon check %s
# A size that is declared and that no parameter and no R.match_cast gives a value.
@R.function
def f(x: R.Tensor((4,), "float32")):
    m = T.int64()
    y: R.Tensor((m,), "float32") = R.add(x, x)
    return y
# expect:
%s:6:5: error: variable 'm' is used but not bound here [undefined-variable]
    y: R.Tensor((m,), "float32") = R.add(x, x)
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
