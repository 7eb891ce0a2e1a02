# run: not tenon run --interpret --random %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), B: T.Buffer((4, 4), "float32")):
    for i in range(16):
        B[i // 4, i % 4] = A[i + 1]
# expect:
%s:5:9: error: f: index 16 of dimension 0 of buffer 'A' is outside [0, 16) [index-out-of-bounds]
        B[i // 4, i % 4] = A[i + 1]
        ^~~~~~~~~~~~~~~~~~~~~~~~~~~
