# row: attributes over statements, threads
# section: 2c
# does: prints
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((128,), "float32")):
    tx = T.env_thread("threadIdx.x")  #<
    with T.attr(tx, "thread_extent", 32):  #<
        with T.launch_thread("blockIdx.x", 4) as bx:  #<
            A[bx * 32 + tx] = T.float32(0)
    T.attr(0, "pragma_scope", "fast")  #<
    T.launch_thread("blockIdx.y", 4)  #<
    A[0] = T.float32(1)
