# run: tenon fmt %s
# Sets of other targets are read and printed as calls.
@T.prim_func
def f(A: T.Buffer((128,), "float32")):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        T.tvm_storage_sync("shared")
        A[tx] = T.tvm_warp_shuffle_down(T.tvm_warp_activemask(), A[tx], 1, 32, 32)
    T.evaluate(T.ptx_wait_group(0))
    T.evaluate(T.ptx_commit_group())
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((128,), "float32")):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            T.tvm_storage_sync("shared")
            A[tx] = T.tvm_warp_shuffle_down(T.tvm_warp_activemask(), A[tx], 1, 32, 32)
        T.ptx_wait_group(0)
        T.ptx_commit_group()
