# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), p: T.handle):
    T.evaluate(T.tvm_struct_get())
    T.evaluate(T.call_extern())
# expect:
%s:4:16: error: 'tvm_struct_get' needs its result type last [missing-argument]
    T.evaluate(T.tvm_struct_get())
               ^~~~~~~~~~~~~~~~~~
%s:5:16: error: 'call_extern' needs its result type first [missing-argument]
    T.evaluate(T.call_extern())
               ^~~~~~~~~~~~~~~
