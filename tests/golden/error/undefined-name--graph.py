# run: not tenon check %s
# Sizes that nothing defines.
@R.function
def g(x: R.Tensor((4,), "float32")) -> R.Tensor(("k",), "float32"):
    return x

@R.function
def h(x: R.Tensor((n,), "float32")):
    return x

@R.function
def f(x: R.Tensor((4,), "float32")):
    y: R.Tensor((m,), "float32") = R.add(x, x)
    return y
# expect:
%s:4:50: error: undefined name 'k' [undefined-name]
def g(x: R.Tensor((4,), "float32")) -> R.Tensor(("k",), "float32"):
                                                 ^~~
  hint: a parameter names a size, x: R.Tensor(("n",)), or a line does: n = T.int64()
%s:8:20: error: undefined name 'n' [undefined-name]
def h(x: R.Tensor((n,), "float32")):
                   ^
  hint: a parameter names a size, x: R.Tensor(("n",)), or a line does: n = T.int64()
%s:13:18: error: undefined name 'm' [undefined-name]
    y: R.Tensor((m,), "float32") = R.add(x, x)
                 ^
  hint: a parameter names a size, x: R.Tensor(("n",)), or a line does: n = T.int64()
