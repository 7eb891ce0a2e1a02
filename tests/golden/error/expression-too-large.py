# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "int32"), n: T.int32):
    a0 = T.meta_var(n + 1)
    a1 = T.meta_var(a0 * a0 * a0 * a0 * a0 * a0 * a0 * a0 * a0 * a0)
    a2 = T.meta_var(a1 * a1 * a1 * a1 * a1 * a1 * a1 * a1 * a1 * a1)
    a3 = T.meta_var(a2 * a2 * a2 * a2 * a2 * a2 * a2 * a2 * a2 * a2)
    a4 = T.meta_var(a3 * a3 * a3 * a3 * a3 * a3 * a3 * a3 * a3 * a3)
    a5 = T.meta_var(a4 * a4 * a4 * a4 * a4 * a4 * a4 * a4 * a4 * a4)
    a6 = T.meta_var(a5 * a5 * a5 * a5 * a5 * a5 * a5 * a5 * a5 * a5)
    A[0] = a6
# expect:
%s:11:5: error: an expression has more than 1048576 parts when what it shares is written out [expression-too-large]
    A[0] = a6
    ^~~~~~~~~
  hint: keep what is used several times in a variable or a buffer
