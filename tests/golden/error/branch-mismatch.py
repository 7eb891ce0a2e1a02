# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        if c:
            y = x
        else:
            z = x
        if c:
            w = x
        return x
# expect:
%s:13:13: error: one branch ends with 'y', the other with 'z' [branch-mismatch]
            z = x
            ^
%s:14:9: error: an 'if' of a graph function needs an 'else' [branch-mismatch]
        if c:
        ^~
