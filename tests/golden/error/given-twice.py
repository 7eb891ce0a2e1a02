# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    T.func_attr({"a": 1})
    T.func_attr({"b": 1})
    with T.block("b"):
        T.reads(A[0])
        T.reads(A[1])
        T.writes(A[0])
        T.writes(A[0])
        T.where(n < 3)
        T.where(n < 4)
        T.block_attr({"k": 1})
        T.block_attr({"k": 1})
        with T.init():
            A[0] = A[1]
        with T.init():
            A[0] = A[1]
        A[0] = A[1]
# expect:
%s:5:5: error: a function has one func_attr [given-twice]
    T.func_attr({"b": 1})
    ^~~~~~~~~~~~~~~~~~~~~
%s:8:9: error: a block has one T.reads [given-twice]
        T.reads(A[1])
        ^~~~~~~~~~~~~
%s:10:9: error: a block has one T.writes [given-twice]
        T.writes(A[0])
        ^~~~~~~~~~~~~~
%s:12:9: error: a block has one T.where [given-twice]
        T.where(n < 4)
        ^~~~~~~~~~~~~~
%s:14:9: error: a block has one T.block_attr [given-twice]
        T.block_attr({"k": 1})
        ^~~~~~~~~~~~~~~~~~~~~~
%s:17:9: error: a block has one T.init [given-twice]
        with T.init():
        ^~~~
