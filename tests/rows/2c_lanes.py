# row: functions of lanes
# section: 2c
# does: runs
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "int8"), D: T.Buffer((2,), "int32"), M: T.Buffer((8,), "bool")):
    for i in range(8):
        A[i] = T.Cast("float32", i)
        C[i] = T.Cast("int8", i)
    A[0:4] = T.vectorhigh("float32x4", A[0:8])  #<
    A[4:8] = T.vectorlow("float32x4", A[0:8])  #<
    A[0:8] = T.vectorcombine("float32x8", A[4:8], A[0:4])  #<
    D[0] = T.dp4a(C[0:4], C[4:8])  #<
    M[0:8] = T.get_active_lane_mask("boolx8", D[1], 3)  #<
# result: D: int32[2] 38 4
