# run: not tenon check -D ROW=4 %s
# What was meant stands with the name that has no value.
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    for i in range(ROWS):
        A[i] = T.float32(0)
# expect:
%s:5:20: error: undefined name 'ROWS' [undefined-name]
    for i in range(ROWS):
                   ^~~~
  hint: -D gives a value to 'ROW'
