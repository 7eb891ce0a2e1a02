# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = A[1]

@T.prim_func
def g(a: int, b: T.int32(), c: T.flot32, d: 3) -> T.handle:
    pass
# expect:
%s:7:10: error: expected the type of a parameter: T.handle, T.Buffer(...), T.int32 ... [bad-annotation]
def g(a: int, b: T.int32(), c: T.flot32, d: 3) -> T.handle:
         ^~~
%s:7:18: error: a type stands here without a call: T.int32 [bad-annotation]
def g(a: int, b: T.int32(), c: T.flot32, d: 3) -> T.handle:
                 ^~~~~~~~~
%s:7:32: error: unknown dtype 'flot32' [unknown-dtype]
def g(a: int, b: T.int32(), c: T.flot32, d: 3) -> T.handle:
                               ^~~~~~~~
  hint: did you mean 'float32'?
%s:7:45: error: expected the type of a parameter: T.handle, T.Buffer(...), T.int32 ... [bad-annotation]
def g(a: int, b: T.int32(), c: T.flot32, d: 3) -> T.handle:
                                            ^
%s:7:51: error: a function cannot return a handle [bad-annotation]
def g(a: int, b: T.int32(), c: T.flot32, d: 3) -> T.handle:
                                                  ^~~~~~~~
