# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def g(A: T.Buffer((4,), "float32")):
        A[0] = A[1]

    @T.prim_func
    def g(A: T.Buffer((4,), "float32")):
        A[0] = A[2]
# expect:
%s:9:5: error: the module has a function 'g' already [duplicate-function]
    def g(A: T.Buffer((4,), "float32")):
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
