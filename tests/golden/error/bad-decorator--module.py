# run: not tenon check %s
@I.ir_modul
class Module:
    @T.prim_func
    def f(A: T.Buffer((16,), "float32")):
        A[0] = T.float32(1)
# expect:
%s:2:2: error: class 'Module' needs the decorator @I.ir_module [bad-decorator]
@I.ir_modul
 ^~~~~~~~~~
  hint: did you mean 'I.ir_module'?
