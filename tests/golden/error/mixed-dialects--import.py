# run: not tenon check %s
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer[(16,), "float32"]):
        for i in range(16):
            with T.block("A"):
                vi = T.axis.spatial(16, i)
                A[vi] = A[vi] + 1.0
# expect:
%s:9:14: error: 'T.Buffer[' is of the spelling of 2022, and this text is read as 2026's because of 'import tirx' on line 3 [mixed-dialects]
    def f(A: T.Buffer[(16,), "float32"]):
             ^~~~~~~~
  hint: what 'x = e' and T.alloc_buffer mean depends on the year: keep to one
