# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    for i in range(4):
        with T.block("b"):
            vi = T.axis.spatial(4, i)
            with T.init():
                A[vi] = T.float32(0)
            A[vi] = A[vi] + T.float32(1)
# expect:
%s:5:9: error: block 'b' has an init and no reduce axis [init-without-reduce]
        with T.block("b"):
        ^~~~
