# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((8,), "int32")):
    break
    for i in T.parallel(8):
        if A[i] > 0:
            continue
    for i in range(8):
        with T.block("b"):
            vi = T.axis.spatial(8, i)
            if A[vi] > 3:
                break
            A[vi] = 1
# expect:
%s:4:5: error: 'break' stands in no loop [misplaced-break]
    break
    ^~~~~
%s:7:13: error: 'continue' in loop 'i': only serial loops and while can be left [misplaced-break]
            continue
            ^~~~~~~~
%s:12:17: error: 'break' in block 'b' cannot reach the loops around the block [misplaced-break]
                break
                ^~~~~
