# run: not tenon check --dialect=2022 %s
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.sblock("A"):
            vi = T.axis.spatial(16, i)
            A[vi] = A[vi] + 1.0
# expect:
%s:5:14: error: 'T.sblock' is of the spelling of 2026, and this text is read as 2022's because of --dialect [mixed-dialects]
        with T.sblock("A"):
             ^~~~~~~~
  hint: what 'x = e' and T.alloc_buffer mean depends on the year: keep to one
