# run: tenon opt --passes=lower_blocks %s
# Blocks go: axes become what they were bound to, a predicate a branch, the initial value runs in the first round.
@T.prim_func
def f(A: T.Buffer((30, 16), "float32"), B: T.Buffer((30,), "float32")):
    C = T.alloc_buffer((30,))
    for i, j, k in T.grid(8, 4, 16):
        with T.block("C"):
            T.where(i * 4 + j < 30)
            vi = T.axis.spatial(30, i * 4 + j)
            vk = T.axis.reduce(16, k)
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + A[vi, vk]
    for i in range(30):
        with T.block("B"):
            vi = T.axis.spatial(30, i)
            t = T.alloc_buffer((2,), scope="local")
            t[0] = C[vi]
            B[vi] = t[0] * T.float32(2)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((30, 16), "float32"), B: T.Buffer((30,), "float32")):
        C = T.allocate([30], "float32", "global")
        C_1 = T.decl_buffer((30,), data=C)
        for i, j, k in T.grid(8, 4, 16):
            if i * 4 + j < 30:
                if k == 0:
                    C_1[i * 4 + j] = T.float32(0.0)
                C_1[i * 4 + j] = C_1[i * 4 + j] + A[i * 4 + j, k]
        for i in range(30):
            t = T.allocate([2], "float32", "local")
            t_1 = T.decl_buffer((2,), data=t, scope="local")
            t_1[0] = C_1[i]
            B[i] = t_1[0] * T.float32(2.0)
