# run: not tenon schedule %s %t
@T.prim_func
def f(A: T.Buffer((8, 8), "float32")):
    for i, j in T.grid(8, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi, vj] = T.float32(1)
# steps:
for loop in sch.get_loops("B"):
    sch.unroll(loop)
# expect:
%t:9:1: error: a schedule script is a list of steps, and 'for' is none [not-a-step]
for loop in sch.get_loops("B"):
^~~
  hint: write the steps out; what varies from run to run is a knob: ty = knob("ty", [8, 16, 32])
