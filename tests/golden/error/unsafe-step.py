# run: not tenon schedule %s %t
@T.prim_func
def f(A: T.Buffer((8, 8), "float32")):
    for i, j in T.grid(8, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi, vj] = T.float32(1)
# steps:
b = sch.get_block("B")
sch.unsafe_set_dtype(b, 0, "float16")
# expect:
%t:10:1: error: 'unsafe_set_dtype' changes a program without proof, and is not done [unsafe-step]
sch.unsafe_set_dtype(b, 0, "float16")
^~~~~~~~~~~~~~~~~~~~
