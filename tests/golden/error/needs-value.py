# run: not tenon check %s
@T.jit
def f(A: T.Buffer((4,), "float32"), N: T.constexpr, M: T.constexpr = 2):
    for i in range(N):
        A[i] = A[i] * T.float32(M)
# expect:
%s:3:37: error: 'N' is a T.constexpr and has no value [needs-value]
def f(A: T.Buffer((4,), "float32"), N: T.constexpr, M: T.constexpr = 2):
                                    ^~~~~~~~~~~~~~
  hint: give it by -D NAME=VALUE
