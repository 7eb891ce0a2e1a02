# run: not tenon schedule %s %t
@T.prim_func
def f(A: T.Buffer((8, 8), "float32")):
    for i, j in T.grid(8, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi, vj] = T.float32(1)
# steps:
tx = knob("tx", 8)
# expect:
%t:9:6: error: a knob has a name and values to choose from: knob("ty", [8, 16, 32]) [bad-knob]
tx = knob("tx", 8)
     ^~~~~~~~~~~~~
