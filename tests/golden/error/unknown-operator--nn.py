# run: not tenon check %s
@R.function
def main(x: R.Tensor((4,), "float32")):
    y = R.relu(x)
    return R.softmaxx(y)
# expect:
%s:4:9: error: unknown operator 'R.relu' [unknown-operator]
    y = R.relu(x)
        ^~~~~~
  hint: did you mean 'nn.relu'?
%s:5:12: error: unknown operator 'R.softmaxx' [unknown-operator]
    return R.softmaxx(y)
           ^~~~~~~~~~
