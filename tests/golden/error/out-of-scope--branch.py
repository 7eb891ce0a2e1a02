# run: not tenon check %s
@R.function
def f(c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")):
    if c:
        a = R.add(x, x)
        y = R.add(a, x)
    else:
        y = x
    z = R.add(y, a)
    return z

@R.function
def g(x: R.Tensor((4,), "float32")):
    @R.function
    def inner(u: R.Tensor((4,), "float32")):
        v = R.add(u, u)
        return v
    y = R.add(x, v)
    return y
# expect:
%s:9:18: error: 'a' is not visible here [out-of-scope]
    z = R.add(y, a)
                 ^
  hint: it belongs to a branch: only the variable that both branches end with lives on
%s:18:18: error: undefined name 'v' [undefined-name]
    y = R.add(x, v)
                 ^
  hint: -D v=VALUE gives it a value from outside
