# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((8,), "int32")):
    for i, j in T.grid(2, 4):
        if A[j] > 3:
            break
# expect:
%s:4:5: error: 'break' in T.grid, which stands for 2 loops [misplaced-break]
    for i, j in T.grid(2, 4):
    ^~~
  hint: write a loop in a loop: 'break' leaves the inner one
