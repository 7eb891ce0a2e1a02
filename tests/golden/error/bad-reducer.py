# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    with T.attr(T.comm_reducer(lambda x, y, z: x + y, [T.float32(0)]), "r", 0):
        A[0] = A[1]
    with T.attr(T.comm_reducer(lambda x, y: (x, y), [T.float32(0)]), "r", 0):
        A[0] = A[1]
# expect:
%s:4:32: error: expected a lambda of two parameters for each identity [bad-reducer]
    with T.attr(T.comm_reducer(lambda x, y, z: x + y, [T.float32(0)]), "r", 0):
                               ^~~~~~~~~~~~~~~~~~~~~
%s:6:32: error: the lambda gives 2 values for 1 identities [bad-reducer]
    with T.attr(T.comm_reducer(lambda x, y: (x, y), [T.float32(0)]), "r", 0):
                               ^~~~~~~~~~~~~~~~~~~
