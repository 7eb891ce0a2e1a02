# row: function inside a function
# section: 2f
# does: runs, what it uses from outside is captured
# args: --size n=3
# --- 2023
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), w: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        @R.function  #<
        def inner(y: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):  #<
            z = R.add(y, w)  #<
            return z  #<
        a = inner(x)  #<
        b = R.invoke_pure_closure(inner, (a,), sinfo_args=(R.Tensor((n,), "float32"),))  #<
        return b
# --- 2026
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), w: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        @R.function  #<
        def inner(y: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):  #<
            z = R.add(y, w)  #<
            return z  #<
        a = inner(x)  #<
        b = R.invoke_pure_closure(inner, (a,), ty_args=(R.Tensor((n,), "float32"),))  #<
        return b
