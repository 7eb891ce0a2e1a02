# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    with T.blocks("b"):
        A[0] = 1.0
    with A:
        A[0] = 1.0
# expect:
%s:4:10: error: expected T.block, T.init, T.attr, T.LetStmt, T.allocate, T.decl_buffer or T.launch_thread after 'with' [unknown-with]
    with T.blocks("b"):
         ^~~~~~~~~~~~~
  hint: did you mean 'T.block'?
%s:6:10: error: expected T.block, T.init, T.attr, T.LetStmt, T.allocate, T.decl_buffer or T.launch_thread after 'with' [unknown-with]
    with A:
         ^
