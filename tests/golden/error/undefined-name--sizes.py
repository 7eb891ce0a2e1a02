# run: not tenon check %s
# A size that nobody declared is told once in a function, with what to write.
@T.prim_func
def f(A: T.Buffer((n,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(n):
        B[i] = qq + A[i] + qq
    n = T.int64()
@T.prim_func
def g(a: T.handle, B: T.Buffer((4,), "float32")):
    A = T.match_buffer(a, (n * 2,), "float32")
    for i in range(n):
        B[i] = qqq + A[i] + qqq
# expect:
%s:4:20: error: undefined name 'n' [undefined-name]
def f(A: T.Buffer((n,), "float32"), B: T.Buffer((4,), "float32")):
                   ^
  hint: define a size in quotes, T.Buffer(("n",)), or in brackets, def f[n: T.int32]
%s:6:16: error: undefined name 'qq' [undefined-name]
        B[i] = qq + A[i] + qq
               ^~
  hint: -D qq=VALUE gives it a value from outside
%s:10:28: error: undefined name 'n' [undefined-name]
    A = T.match_buffer(a, (n * 2,), "float32")
                           ^
  hint: declare a size first: n = T.int64()
%s:12:16: error: undefined name 'qqq' [undefined-name]
        B[i] = qqq + A[i] + qqq
               ^~~
  hint: -D qqq=VALUE gives it a value from outside
