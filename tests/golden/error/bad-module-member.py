# run: not tenon check %s
@I.ir_module
class M:
    x: T.int32 = 3
    for i in range(4):
        pass

    @T.prim_func
    def f(A: T.Buffer((4,), "float32")):
        A[0] = A[1]
# expect:
%s:4:5: error: expected a function in the module [bad-module-member]
    x: T.int32 = 3
    ^~~~~~~~~~~~~~
%s:5:5: error: expected a function in the module [bad-module-member]
    for i in range(4):
    ^~~
