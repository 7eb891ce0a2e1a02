# run: not tenon check %s
@R.function(private=True)
def f(x: R.Tensor((4,), "float32")):
    R.func_attr({"global_symbol": "f"})
    return x
# expect:
%s:3:1: error: private function 'f' has a global_symbol [private-with-symbol]
def f(x: R.Tensor((4,), "float32")):
^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
