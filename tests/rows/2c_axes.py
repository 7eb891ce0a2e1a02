# row: axes
# section: 2c
# does: runs
# --- 2022
@T.prim_func
def f(A: T.Buffer[(4, 8), "float32"], B: T.Buffer[(4,), "float32"]):
    for i, k in T.grid(4, 6):
        with T.block("B"):
            vi = T.axis.S(4, i)  #<
            vk = T.axis.R((2, 8), k + 2)  #<
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
# --- 2023
@T.prim_func
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 6):
        with T.block("B"):
            vi = T.axis.spatial(4, i)  #<
            vk = T.axis.reduce((2, 8), k + 2)  #<
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
# --- 2026
@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 6):
        with T.sblock("B"):
            vi = T.axis.S(4, i)  #<
            vk = T.axis.R((2, 8), k + 2)  #<
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
