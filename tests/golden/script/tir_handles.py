# run: tenon fmt %s
# Handles that stay pointers, and typed ones.
@T.prim_func
def f(p: T.handle, q: T.handle("float32"), r: T.handle("int8", "shared"), A: T.Buffer((4,), "float32")):
    T.evaluate(T.call_extern("int32", "take", p, q, r, A.data))
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(p: T.handle, q: T.handle, r: T.handle, A: T.Buffer((4,), "float32")):
        T.call_extern("int32", "take", p, q, r, A.data)
