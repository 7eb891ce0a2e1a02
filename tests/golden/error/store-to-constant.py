# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    p = T.allocate_const([1.0, 2.0], "float32", [2])
    B = T.decl_buffer((2,), data=p)
    B[0] = A[0]
    q: T.handle = p
    C = T.decl_buffer((2,), data=q)
    C[1] = B[1]
# expect:
%s:6:5: error: buffer 'B' is constant and cannot be stored to [store-to-constant]
    B[0] = A[0]
    ^~~~~~~~~~~
%s:9:5: error: buffer 'C' is constant and cannot be stored to [store-to-constant]
    C[1] = B[1]
    ^~~~~~~~~~~
