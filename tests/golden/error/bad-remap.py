# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    for i, j in T.grid(4, 4):
        with T.block("a"):
            vi, vj = T.axis.remap("SX", [i, j])
            A[vi] = A[vj]
        with T.block("b"):
            vi, vj = T.axis.remap("S", [i, j])
            A[vi] = A[vj]
        with T.block("c"):
            vi, vj = T.axis.remap("SS", [i, j + 1])
            A[vi] = A[vj]
# expect:
%s:6:35: error: letter 'X' of T.axis.remap: expected S (spatial) or R (reduce) [bad-remap]
            vi, vj = T.axis.remap("SX", [i, j])
                                  ^~~~
%s:9:22: error: 1 letters, 2 bindings and 2 names: they must be as many [bad-remap]
            vi, vj = T.axis.remap("S", [i, j])
                     ^~~~~~~~~~~~~~~~~~~~~~~~~
%s:12:41: error: T.axis.remap binds loop variables only, got an expression; use T.axis.spatial or T.axis.reduce [bad-remap]
            vi, vj = T.axis.remap("SS", [i, j + 1])
                                        ^~~~~~~~~~
