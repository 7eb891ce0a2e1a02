# run: not tenon check -D ROW=4 -D COLS=8 -D Q=1 %s
# ROW is near no name that waits for a value but COLS, which has one; Q is near none.
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    for i in range(COLS):
        A[i] = T.float32(0)
# expect:
%s:1:1: error: -D ROW: the text has no name 'ROW' that waits for a value [unused-define]
# run: not tenon check -D ROW=4 -D COLS=8 -D Q=1 %s
^
%s:1:1: error: -D Q: the text has no name 'Q' that waits for a value [unused-define]
# run: not tenon check -D ROW=4 -D COLS=8 -D Q=1 %s
^
