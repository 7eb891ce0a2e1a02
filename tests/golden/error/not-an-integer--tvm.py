# run: not tenon check %s
# domains, extents and shapes that are none
@T.prim_func
def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4.5,), "float32")):
    for i in range(4):
        with T.block("b"):
            vi = T.axis.spatial("four", i)
            vj = T.axis.spatial(A[0], i)
            A[vi] = 1.0
    for i in range("x"):
        A[i] = 1.0
    C = T.alloc_buffer((4, "n"))
    p = T.allocate([2.0], "float32", "global")
# expect:
%s:4:50: error: expected an integer expression, got float32 [not-an-integer]
def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4.5,), "float32")):
                                                 ^~~
%s:7:33: error: expected an integer expression, got a string [not-an-integer]
            vi = T.axis.spatial("four", i)
                                ^~~~~~
%s:8:33: error: expected an integer expression, got float32 [not-an-integer]
            vj = T.axis.spatial(A[0], i)
                                ^~~~
%s:10:20: error: expected an integer expression, got a string [not-an-integer]
    for i in range("x"):
                   ^~~
%s:12:24: error: expected an integer expression, got a string [not-an-integer]
    C = T.alloc_buffer((4, "n"))
                       ^~~~~~~~
%s:13:20: error: expected an integer expression, got float32 [not-an-integer]
    p = T.allocate([2.0], "float32", "global")
                   ^~~~~
