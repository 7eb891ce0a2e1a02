# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((5,), dtype="float32"), t: R.Tuple(R.Object)) -> R.Tensor((4,), dtype="float32"):
        z = R.add(x, y)
        a = R.matmul(x, t)
        b = t[3]
        return x
# expect:
%s:10:9: error: R.add: the extents 4 and 5 do not broadcast [type-error]
        z = R.add(x, y)
        ^~~~~~~~~~~~~~~
%s:11:9: error: R.matmul: argument 1 has type R.Tuple(R.Object), expected a tensor [type-error]
        a = R.matmul(x, t)
        ^~~~~~~~~~~~~~~~~~
%s:12:13: error: index 3 of a tuple of 1 [index-out-of-range]
        b = t[3]
            ^~~~
