# run: not tenon check -D N=Flase -D M=99999999999999999999 -D K=4x -D J=0x4 %s
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    for i in range(J):
        if N:
            A[i + M + K] = T.float32(0)
# expect:
%s:5:12: error: -D N=Flase: no number, True, False or None [bad-define]
        if N:
           ^
  hint: did you mean 'False'?
%s:6:19: error: -D M=99999999999999999999: no number, True, False or None [bad-define]
            A[i + M + K] = T.float32(0)
                  ^
  hint: a text is written in quotes: -D NAME="'4x'"
%s:6:23: error: -D K=4x: no number, True, False or None [bad-define]
            A[i + M + K] = T.float32(0)
                      ^
  hint: a text is written in quotes: -D NAME="'4x'"
