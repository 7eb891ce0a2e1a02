# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @T.prim_func
    def g(A: T.Buffer((4,), "float32")):
        A[0] = R.call_tir(cls.copy, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        T.evaluate(0)
        y = T.alloc_buffer((4,))
        return x
# expect:
%s:10:16: error: 'R.call_tir' belongs in a @R.function [wrong-level]
        A[0] = R.call_tir(cls.copy, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
               ^~~~~~~~~~
%s:14:9: error: 'T.evaluate' belongs in a @T.prim_func [wrong-level]
        T.evaluate(0)
        ^~~~~~~~~~
%s:15:13: error: 'T.alloc_buffer' belongs in a @T.prim_func [wrong-level]
        y = T.alloc_buffer((4,))
            ^~~~~~~~~~~~~~
