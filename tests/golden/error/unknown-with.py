# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    with T.blok("b"):
        A[0] = A[1]
    with A:
        A[0] = A[1]
# expect:
%s:4:10: error: expected T.block, T.init, T.attr, T.LetStmt, T.allocate, T.decl_buffer or T.launch_thread after 'with' [unknown-with]
    with T.blok("b"):
         ^~~~~~~~~~~
  hint: did you mean 'T.block'?
%s:6:10: error: expected T.block, T.init, T.attr, T.LetStmt, T.allocate, T.decl_buffer or T.launch_thread after 'with' [unknown-with]
    with A:
         ^
