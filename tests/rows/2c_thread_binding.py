# row: loop over threads
# section: 2c
# does: prints
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((32,), "float32")):
    for i in T.thread_binding(32, thread="threadIdx.x"):  #<
        A[i] = A[i] * 2.0
    for i in T.thread_binding(0, 32, "threadIdx.x"):  #<
        A[i] = A[i] + 1.0
