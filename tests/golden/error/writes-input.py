# run: not tenon check %s
# A loop function may write to its outputs, and where a call says so in place; not to what it is given to read.
@I.ir_module
class M:
    @T.prim_func
    def swapped(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            A[i] = B[i]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = M
        y = R.call_tir(cls.swapped, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return y
# expect:
%s:13:9: error: swapped writes to its parameter 'A', which is an input of the call [writes-input]
        y = R.call_tir(cls.swapped, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
