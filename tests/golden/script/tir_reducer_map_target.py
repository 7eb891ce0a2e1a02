# run: tenon fmt %s
# Values that only attributes hold: a reducer, an index map, a target.
@T.prim_func
def f(A: T.Buffer((8,), "float32")):
    T.func_attr({"target": T.target({"kind": "llvm", "mcpu": "skylake"}), "layout": T.index_map(lambda i, j: (j, i))})
    with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.int32(0)):
        A[0] = T.float32(0)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8,), "float32")):
        T.func_attr({"target": T.target({"kind": "llvm", "mcpu": "skylake"}), "layout": T.index_map(lambda i, j: (j, i))})
        with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0.0)]), "reduce_scope", 0):
            A[0] = T.float32(0.0)
