# run: tenon fmt %s
# Attributes; global_symbol is left out where it is the function's own name.
@I.ir_module
class M:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32")):
        T.func_attr({"global_symbol": "f", "tir.noalias": True, "op_pattern": 0})
        A[0] = T.float32(0)

    @T.prim_func
    def g(A: T.Buffer((4,), "float32")):
        T.func_attr({"global_symbol": "other", "names": ["a", "b"], "nested": {"x": 1, "y": 2.5}})
        A[0] = T.float32(0)

    @T.prim_func(private=True)
    def h(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(0)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class M:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True), "op_pattern": 0})
        A[0] = T.float32(0.0)

    @T.prim_func
    def g(A: T.Buffer((4,), "float32")):
        T.func_attr({"global_symbol": "other", "names": ["a", "b"], "nested": {"x": 1, "y": T.float32(2.5)}})
        A[0] = T.float32(0.0)

    @T.prim_func(private=True)
    def h(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(0.0)
