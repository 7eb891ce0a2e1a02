# run: not tenon check %s
# wrong letters, wrong lengths, values that are no loop variables
@T.prim_func
def f(A: T.Buffer((4, 4), "float32")):
    for i, j in T.grid(4, 4):
        with T.block("letters"):
            vi, vj = T.axis.remap("SX", [i, j])
            A[vi, vj] = 1.0
        with T.block("length"):
            vi, vj = T.axis.remap("SS", [i, j, i])
            A[vi, vj] = 1.0
        with T.block("names"):
            vi, vj, vk = T.axis.remap("SS", [i, j])
            A[vi, vj] = 1.0
        with T.block("expression"):
            vi, vj = T.axis.remap("SS", [i + 1, j])
            A[vi, vj] = 1.0
# expect:
%s:7:35: error: letter 'X' of T.axis.remap: expected S (spatial) or R (reduce) [bad-remap]
            vi, vj = T.axis.remap("SX", [i, j])
                                  ^~~~
%s:10:22: error: 2 letters, 3 bindings and 2 names: they must be as many [bad-remap]
            vi, vj = T.axis.remap("SS", [i, j, i])
                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
%s:13:26: error: 2 letters, 2 bindings and 3 names: they must be as many [bad-remap]
            vi, vj, vk = T.axis.remap("SS", [i, j])
                         ^~~~~~~~~~~~~~~~~~~~~~~~~~
%s:16:41: error: T.axis.remap binds loop variables only, got an expression; use T.axis.spatial or T.axis.reduce [bad-remap]
            vi, vj = T.axis.remap("SS", [i + 1, j])
                                        ^~~~~~~~~~
