# run: not tenon check %s
# What a dataflow block hands out is not called invisible when its value was wrong.
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    with R.dataflow():
        y = R.expp(x)
        R.output(y)
    return y
# expect:
%s:6:13: error: unknown operator 'R.expp' [unknown-operator]
        y = R.expp(x)
            ^~~~~~
  hint: did you mean 'exp'?
