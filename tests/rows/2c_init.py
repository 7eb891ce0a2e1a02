# row: start of a reduction
# section: 2c
# does: runs
# same: 2022
# --- 2023
@T.prim_func
def f(A: T.Buffer((4, 4), "float32"), C: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 4):
        with T.block("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():  #<
                C[vi] = T.float32(1)
            C[vi] = C[vi] * A[vi, vk]
# --- 2026
@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 4), "float32"), C: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 4):
        with T.sblock("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():  #<
                C[vi] = T.float32(1)
            C[vi] = C[vi] * A[vi, vk]
