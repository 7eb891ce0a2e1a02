# row: type of a result
# section: 2c
# does: runs
# --- 2022
@T.prim_func
def f(A: T.Buffer[(4,), "float32"], B: T.Buffer[(4,), "int32"]):
    for i in T.serial(4):
        A[i] = T.exp(A[i], dtype="float32")  #<
        A[i] = T.if_then_else(i < 2, A[i], T.float32(0), dtype="float32")  #<
        A[i] = T.call_intrin("tir.exp", A[i], dtype="float32")  #<
        B[i] = T.shift_left(T.cast(A[i], "int32"), 1, dtype="int32")
        A[i] = T.reinterpret(B[i], dtype="float32")  #<
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "int32")):
    for i in range(4):
        A[i] = T.exp(A[i])  #<
        A[i] = T.if_then_else(i < 2, A[i], T.float32(0))  #<
        A[i] = T.call_intrin("float32", "tir.exp", A[i])  #<
        B[i] = T.Cast("int32", A[i]) << 1
        A[i] = T.reinterpret("float32", B[i])  #<
