# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.block("A"):
            vi = T.axis.spatial(16, i)
            x: T.let = A[vi]
            A[vi] = x
# expect:
%s:7:16: error: 'T.let' is of the spelling of 2026, and this text is read as 2023's because of 'T.block' on line 5 [mixed-dialects]
            x: T.let = A[vi]
               ^~~~~
  hint: what 'x = e' and T.alloc_buffer mean depends on the year: keep to one
