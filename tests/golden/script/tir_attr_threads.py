# run: tenon fmt %s
# attr in both forms, threads in both forms.
@T.prim_func
def f(A: T.Buffer((128,), "float32")):
    bx = T.env_thread("blockIdx.x")
    T.launch_thread(bx, 4)
    tx = T.launch_thread("threadIdx.x", 32)
    A[bx * 32 + tx] = T.float32(0)


@T.prim_func
def g(A: T.Buffer((128,), "float32")):
    with T.attr(A.data, "storage_alignment", 128):
        A[0] = T.float32(0)
    T.attr(0, "pragma_unroll", 16)
    A[1] = T.float32(1)
    A[2] = T.float32(2)


@T.prim_func
def h(A: T.Buffer((128,), "float32")):
    with T.launch_thread("blockIdx.x", 4) as bx:
        with T.launch_thread("threadIdx.x", 32) as tx:
            A[bx * 32 + tx] = T.float32(0)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((128,), "float32")):
        with T.launch_thread("blockIdx.x", 4) as bx:
            with T.launch_thread("threadIdx.x", 32) as tx:
                A[bx * 32 + tx] = T.float32(0.0)

    @T.prim_func
    def g(A: T.Buffer((128,), "float32")):
        with T.attr(A.data, "storage_alignment", 128):
            A[0] = T.float32(0.0)
        with T.attr(0, "pragma_unroll", 16):
            A[1] = T.float32(1.0)
            A[2] = T.float32(2.0)

    @T.prim_func
    def h(A: T.Buffer((128,), "float32")):
        with T.launch_thread("blockIdx.x", 4) as bx:
            with T.launch_thread("threadIdx.x", 32) as tx:
                A[bx * 32 + tx] = T.float32(0.0)
