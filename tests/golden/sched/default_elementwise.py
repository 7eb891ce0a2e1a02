# run: tenon opt --passes=default_schedule --target x86-64-v3 %s
# One loop where all is walked in step; a broadcast along the rows leaves two. Little work stays on one thread, open sizes
# are cut into turns. A function with a marked loop, or that says it has a schedule, stays as it is.
@T.prim_func
def joined(A: T.Buffer((64, 30, 40), "float32"), B: T.Buffer((64, 30, 40), "float32")):
    for i, j, k in T.grid(64, 30, 40):
        with T.block("B"):
            x, y, z = T.axis.remap("SSS", [i, j, k])
            B[x, y, z] = A[x, y, z] + T.float32(1)


@T.prim_func
def broadcast(A: T.Buffer((8, 30, 40), "float32"), D: T.Buffer((30,), "float32"), B: T.Buffer((8, 30, 40), "float32")):
    S = T.alloc_buffer((8, 30, 40))
    for i, j, k in T.grid(8, 30, 40):
        with T.block("S"):
            x, y, z = T.axis.remap("SSS", [i, j, k])
            S[x, y, z] = A[x, y, z] + D[y]
    for i, j, k in T.grid(8, 30, 40):
        with T.block("B"):
            x, y, z = T.axis.remap("SSS", [i, j, k])
            B[x, y, z] = T.max(S[x, y, z], T.float32(0))


@T.prim_func
def open_size(a: T.handle, b: T.handle):
    n = T.int64()
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    for i in range(n):
        with T.block("B"):
            x = T.axis.spatial(n, i)
            B[x] = A[x] * T.float32(2)


@T.prim_func
def marked(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in T.unroll(64):
        with T.block("B"):
            x = T.axis.spatial(64, i)
            B[x] = A[x]


@T.prim_func
def has_schedule(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.func_attr({"tir.is_scheduled": True})
    for i in range(64):
        with T.block("B"):
            x = T.axis.spatial(64, i)
            B[x] = A[x]
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def broadcast(A: T.Buffer((8, 30, 40), "float32"), D: T.Buffer((30,), "float32"), B: T.Buffer((8, 30, 40), "float32")):
        for i, j, k_0 in T.grid(8, 30, 5):
            for k_1 in T.vectorized(8):
                with T.block("B"):
                    x = T.axis.spatial(8, i)
                    y = T.axis.spatial(30, j)
                    z = T.axis.spatial(40, k_0 * 8 + k_1)
                    T.reads(A[x, y, z], D[y])
                    T.writes(B[x, y, z])
                    B[x, y, z] = T.max(A[x, y, z] + D[y], T.float32(0.0))

    @T.prim_func
    def has_schedule(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        for i in range(64):
            with T.block("B"):
                x = T.axis.remap("S", [i])
                T.reads(A[x])
                T.writes(B[x])
                B[x] = A[x]

    @T.prim_func
    def joined(A: T.Buffer((64, 30, 40), "float32"), B: T.Buffer((64, 30, 40), "float32")):
        for i_j_k_fused_0 in T.parallel(9600):
            for i_j_k_fused_1 in T.vectorized(8):
                with T.block("B"):
                    x = T.axis.spatial(64, i_j_k_fused_0 // 150)
                    y = T.axis.spatial(30, i_j_k_fused_0 // 5 % 30)
                    z = T.axis.spatial(40, i_j_k_fused_0 % 5 * 8 + i_j_k_fused_1)
                    T.reads(A[x, y, z])
                    T.writes(B[x, y, z])
                    B[x, y, z] = A[x, y, z] + T.float32(1.0)

    @T.prim_func
    def marked(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in T.unroll(64):
            with T.block("B"):
                x = T.axis.remap("S", [i])
                T.reads(A[x])
                T.writes(B[x])
                B[x] = A[x]

    @T.prim_func
    def open_size(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        for i_0 in T.parallel((n + T.int64(8191)) // T.int64(8192)):
            for i_1 in range(T.int64(1024)):
                for i_2 in T.vectorized(T.int64(8)):
                    with T.block("B"):
                        x = T.axis.spatial(n, i_0 * T.int64(8192) + i_1 * T.int64(8) + i_2)
                        T.where(i_0 * T.int64(8192) + i_1 * T.int64(8) + i_2 < n)
                        T.reads(A[x])
                        T.writes(B[x])
                        B[x] = A[x] * T.float32(2.0)
