# row: the set of GPUs
# section: 2c
# does: prints
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((128,), "float32")):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        T.tvm_storage_sync("shared")  #<
        A[tx] = T.tvm_warp_shuffle_down(T.tvm_warp_activemask(), A[tx], 1, 32, 32)  #<
    T.evaluate(T.ptx_commit_group())  #<
    T.evaluate(T.ptx_wait_group(0))  #<
