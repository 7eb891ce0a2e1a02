# run: not tenon run --interpret=checked --random %s
@T.prim_func
def f(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    t = T.alloc_buffer((8,))
    for i in range(1, 8):
        t[i] = A[i]
    for i in range(8):
        B[i] = t[i] + B[i]
# expect:
%s:8:9: error: f: t[0] is read, and nothing has written it; i=0 [never-written]
        B[i] = t[i] + B[i]
        ^~~~~~~~~~~~~~~~~~
%s:8:9: error: f: B[0] is read, and nothing has written it; i=0; 8 times in all [never-written]
        B[i] = t[i] + B[i]
        ^~~~~~~~~~~~~~~~~~
