# run: not tenon check %s
x = 3

@I.ir_module
class M:
    @T.prim_func
    def g(A: T.Buffer((4,), "float32")):
        A[0] = A[1]

@T.prim_func
def h(A: T.Buffer((4,), "float32")):
    A[0] = A[1]
# expect:
%s:11:1: error: a function beside the @I.ir_module class: put it into the class [bad-file]
def h(A: T.Buffer((4,), "float32")):
^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
