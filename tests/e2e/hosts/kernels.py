# Kernels for the three hosts: one that needs nothing, one that asks its host for scratch memory and
# a parallel loop, one that takes exp from libm, and one that refuses.
from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Kernels:
    @T.prim_func
    def scale(
        X: T.Buffer((64, 48), "float32"),
        Y: T.Buffer((64, 48), "float32"),
    ):
        for i, j in T.grid(64, 48):
            with T.block("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = X[vi, vj] * T.float32(3) + T.float32(0.1)

    @T.prim_func
    def product(
        X: T.Buffer((64, 48), "float32"),
        Y: T.Buffer((64, 64), "float32"),
    ):
        Z = T.alloc_buffer((64, 64), "float32")
        for i in T.parallel(64):
            for j, k in T.grid(64, 48):
                with T.block("Z"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        Z[vi, vj] = T.float32(0)
                    Z[vi, vj] = Z[vi, vj] + X[vi, vk] * X[vj, vk]
        for i, j in T.grid(64, 64):
            with T.block("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = Z[vi, vj] + Z[vj, vi]

    @T.prim_func
    def curve(
        X: T.Buffer((64, 48), "float32"),
        Y: T.Buffer((64, 48), "float32"),
    ):
        for i, j in T.grid(64, 48):
            with T.block("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.exp(X[vi, vj]) * T.tanh(X[vi, vj])
