# row: part of a buffer
# section: 2c
# does: runs
# same: 2022
# --- 2023
@T.prim_func
def f(B: T.Buffer((16, 32), "float32")):
    for j in range(2):
        with T.block("B"):
            vj = T.axis.spatial(2, j)
            Bs = T.match_buffer(B[0:16, vj * 16:vj * 16 + 16], (16, 16), offset_factor=16)  #<
            for i, k in T.grid(16, 16):
                Bs[i, k] = Bs[i, k] + 1.0
# --- 2026
@T.prim_func(s_tir=True)
def f(B: T.Buffer((16, 32), "float32")):
    for j in range(2):
        with T.sblock("B"):
            vj = T.axis.spatial(2, j)
            Bs = T.match_buffer(B[0:16, vj * 16:vj * 16 + 16], (16, 16), offset_factor=16)  #<
            for i, k in T.grid(16, 16):
                Bs[i, k] = Bs[i, k] + 1.0
