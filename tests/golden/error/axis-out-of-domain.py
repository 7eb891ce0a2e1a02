# run: not tenon run --interpret --random %s
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.block("b"):
            vi = T.axis.spatial(8, i)
            A[vi] = T.float32(0)
# expect:
%s:5:9: error: f: axis 'vi' is 8, outside its domain [0, 8) [axis-out-of-domain]
        with T.block("b"):
        ^~~~
