# row: buffer before it was flattened
# section: 2c
# does: runs, prints a view
# --- 2022
@T.prim_func
def f(A: T.Buffer[16, "float32"], B: T.Buffer[16, "float32"]):
    T.preflattened_buffer(A, [4, 4], dtype="float32", data=A.data)  #<
    T.preflattened_buffer(B, [4, 4], dtype="float32", data=B.data)
    for i, j in T.grid(4, 4):
        B[j * 4 + i] = A[i * 4 + j]
