# row: block and its attributes
# section: 2e
# does: runs
# same: 2022
# --- 2023
@T.prim_func
def f(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 4):
        with T.block("B"):  #<
            vi, vk = T.axis.remap("SR", [i, k])
            T.block_attr({"kind": "sum"})  #<
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
# --- 2026
@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 4):
        with T.sblock("B"):  #<
            vi, vk = T.axis.remap("SR", [i, k])
            T.sblock_attr({"kind": "sum"})  #<
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
