# run: not tenon check %s
@I.ir_module
class M:
    @T.prim_func
    def main(A: T.Buffer((8, 4), "float32"), n: T.int32, x: T.float32, H: T.Buffer((8, 5), "int32")):
        M.f(A, n)
        M.g(A, n)
        M.g(A.data, x)
        M.h(A.data, n)
        M.h(n, n)
        M.k(A)
        M.k(A.data)
        M.f(H, n)

    @T.prim_func
    def f(A: T.Buffer((8, 5), "float32"), n: T.int32):
        A[0, 0] = T.float32(1)

    @T.prim_func
    def g(A: T.Buffer((32,), "float32"), n: T.int32):
        A[0] = T.float32(1)

    @T.prim_func
    def h(a: T.handle, n: T.int32):
        m = T.int32()
        A = T.match_buffer(a, (m,))
        A[0] = T.float32(1)

    @T.prim_func
    def k(a: T.handle("float32")):
        A = T.decl_buffer((32,), data=a)
        A[0] = T.float32(1)
# expect:
%s:6:9: error: argument 0 of 'f', buffer 'A': expected 5 as extent 1, got 4 [call-argument]
        M.f(A, n)
        ^~~~~~~~~
%s:7:9: error: argument 0 of 'g', buffer 'A': expected 1 dimensions, got 2 [call-argument]
        M.g(A, n)
        ^~~~~~~~~
%s:8:9: error: argument 1 of 'g', parameter 'n': expected int32, got float32 [call-argument]
        M.g(A.data, x)
        ^~~~~~~~~~~~~~
%s:9:9: error: argument 0 of 'h' is a pointer, which does not tell 'm' of buffer 'A' [call-argument]
        M.h(A.data, n)
        ^~~~~~~~~~~~~~
  hint: give the buffer itself, not its pointer
%s:10:9: error: argument 0 of 'h', parameter 'a': expected a buffer, got int32 [call-argument]
        M.h(n, n)
        ^~~~~~~~~
%s:11:9: error: argument 0 of 'k' is buffer 'A', and parameter 'a' is handle [call-argument]
        M.k(A)
        ^~~~~~
  hint: give its pointer, as in A.data
%s:13:9: error: argument 0 of 'f', buffer 'H': expected elements of float32, got int32 [call-argument]
        M.f(H, n)
        ^~~~~~~~~
