# run: not tenon run --interpret=checked --random %s
@T.prim_func
def f(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        B[i] = A[i * 65536 * 65536]
# expect:
%s:5:9: error: f: an index of buffer 'A' is 4294967296, which int32 wraps to 0; i=1; 7 times in all [index-overflow]
        B[i] = A[i * 65536 * 65536]
        ^~~~~~~~~~~~~~~~~~~~~~~~~~~
