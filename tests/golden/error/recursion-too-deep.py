# run: not tenon run --interpret --random %s
@I.ir_module
class M:
    @T.prim_func
    def main(A: T.Buffer((4,), "int32")):
        A[0] = M.f(A[1])

    @T.prim_func(private=True)
    def f(n: T.int32) -> T.int32:
        return M.f(n + 1)
# expect:
%s:10:9: error: f: more than 1000 calls inside each other [recursion-too-deep]
        return M.f(n + 1)
        ^~~~~~~~~~~~~~~~~
