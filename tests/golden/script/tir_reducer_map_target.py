# run: tenon fmt %s
# Values that only attributes hold: a reducer, an index map, a target.
@T.prim_func
def f(A: T.Buffer((8,), "float32")):
    T.func_attr({"target": T.target({"kind": "llvm", "mcpu": "skylake"}), "layout": T.index_map(lambda i, j: (j, i))})
    with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.int32(0)):
        A[0] = T.float32(0)


@T.prim_func
def g(A: T.Buffer((8,), "float32")):
    m = T.index_map(lambda i: (i // 4, i % 4), inverse_index_map=lambda o, i: o * 4 + i)
    T.attr(m, "map", T.index_map(lambda i: i, index_dtype="int64"))
    T.attr(T.target("cuda -arch=sm_80", host="llvm"), "target", T.target({"kind": "cuda"}, {"kind": "llvm"}))
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

    @T.prim_func
    def g(A: T.Buffer((8,), "float32")):
        with T.attr(T.index_map(lambda i: (i // 4, i % 4), inverse_index_map=lambda o, i: (o * 4 + i,)), "map", T.index_map(lambda i: (i,), index_dtype="int64")):
            with T.attr(T.target("cuda -arch=sm_80", host="llvm"), "target", T.target({"kind": "cuda"}, host={"kind": "llvm"})):
                A[0] = T.float32(0.0)
