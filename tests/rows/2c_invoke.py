# row: calls in the module
# section: 2c
# does: runs
# args: --func main
# --- 2022
@tvm.script.ir_module
class M:
    @T.prim_func
    def main(A: T.Buffer[(4,), "int32"]):
        f(A, 3)  #<
        A[3] = fact(5)

    @T.prim_func
    def f(A: T.Buffer[(4,), "int32"], n: T.int32):
        A[0] = n

    @T.prim_func
    def fact(n: T.int32) -> T.int32:
        if n < 2:
            return 1
        return n * fact(n - 1)  #<
# --- 2023
@I.ir_module
class M:
    @T.prim_func
    def main(A: T.Buffer((4,), "int32")):
        cls = M
        cls.f(A, 3)  #<
        A[3] = M.fact(5)  #<

    @T.prim_func
    def f(A: T.Buffer((4,), "int32"), n: T.int32):
        A[0] = n

    @T.prim_func
    def fact(n: T.int32) -> T.int32:
        cls = M
        if n < 2:
            return 1
        return n * cls.fact(n - 1)  #<
# --- 2026
@I.ir_module
class M:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4,), "int32")):
        cls = M
        cls.f(A, 3)  #<
        A[3] = M.fact(5)

    @T.prim_func(s_tir=True)
    def f(A: T.Buffer((4,), "int32"), n: T.int32):
        A[0] = n

    @T.prim_func(s_tir=True)
    def fact(n: T.int32) -> T.int32:
        cls = M
        if n < 2:
            return 1
        return n * cls.fact(n - 1)  #<
# result: A: int32[4] 3 0 0 120
