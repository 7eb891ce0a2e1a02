# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 4):
        with T.block("b"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vk])
            T.reads(A[vk])
            T.writes(B[vi])
            T.writes(B[vi])
            T.where(i < 3)
            T.where(k < 3)
            T.block_attr({"a": 1})
            T.block_attr({"b": 1})
            with T.init():
                B[vi] = 0.0
            with T.init():
                B[vi] = 1.0
            B[vi] = B[vi] + A[vk]
# expect:
%s:8:13: error: a block has one T.reads [given-twice]
            T.reads(A[vk])
            ^~~~~~~~~~~~~~
%s:10:13: error: a block has one T.writes [given-twice]
            T.writes(B[vi])
            ^~~~~~~~~~~~~~~
%s:12:13: error: a block has one T.where [given-twice]
            T.where(k < 3)
            ^~~~~~~~~~~~~~
%s:14:13: error: a block has one T.block_attr [given-twice]
            T.block_attr({"b": 1})
            ^~~~~~~~~~~~~~~~~~~~~~
%s:17:13: error: a block has one T.init [given-twice]
            with T.init():
            ^~~~
