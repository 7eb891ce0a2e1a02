# run: tenon opt --passes=lower_blocks,flatten_buffers,simplify,vectorize_loops,unroll_loops,simplify,remove_no_op %s
# A register tile: accumulators end as constant slices of one local array, which LLVM keeps in registers.
@T.prim_func
def f(A: T.Buffer((2, 64), "float32"), B: T.Buffer((64, 16), "float32"), C: T.Buffer((2, 16), "float32")):
    acc = T.alloc_buffer((2, 16), scope="local")
    for i in T.unroll(2):
        for jo in T.unroll(2):
            for ji in T.vectorized(8):
                acc[i, jo * 8 + ji] = T.float32(0)
    for k in range(64):
        for i in T.unroll(2):
            for jo in T.unroll(2):
                for ji in T.vectorized(8):
                    with T.block("C"):
                        vi, vk = T.axis.remap("SR", [i, k])
                        vj = T.axis.spatial(16, jo * 8 + ji)
                        acc[vi, vj] = acc[vi, vj] + A[vi, vk] * B[vk, vj]
    for i in T.unroll(2):
        for jo in T.unroll(2):
            for ji in T.vectorized(8):
                C[i, jo * 8 + ji] = acc[i, jo * 8 + ji]
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((2, 64), "float32"), B: T.Buffer((64, 16), "float32"), C: T.Buffer((2, 16), "float32")):
        A_1 = T.decl_buffer((128,), data=A.data)
        B_1 = T.decl_buffer((1024,), data=B.data)
        C_1 = T.decl_buffer((32,), data=C.data)
        acc = T.allocate([32], "float32", "local")
        acc_1 = T.decl_buffer((32,), data=acc, scope="local")
        acc_1[0:8] = T.Broadcast(T.float32(0.0), 8)
        acc_1[8:16] = T.Broadcast(T.float32(0.0), 8)
        acc_1[16:24] = T.Broadcast(T.float32(0.0), 8)
        acc_1[24:32] = T.Broadcast(T.float32(0.0), 8)
        for k in range(64):
            acc_1[0:8] = acc_1[0:8] + T.Broadcast(A_1[k], 8) * B_1[k * 16:k * 16 + 8]
            acc_1[8:16] = acc_1[8:16] + T.Broadcast(A_1[k], 8) * B_1[k * 16 + 8:k * 16 + 8 + 8]
            acc_1[16:24] = acc_1[16:24] + T.Broadcast(A_1[k + 64], 8) * B_1[k * 16:k * 16 + 8]
            acc_1[24:32] = acc_1[24:32] + T.Broadcast(A_1[k + 64], 8) * B_1[k * 16 + 8:k * 16 + 8 + 8]
        C_1[0:8] = acc_1[0:8]
        C_1[8:16] = acc_1[8:16]
        C_1[16:24] = acc_1[16:24]
        C_1[24:32] = acc_1[24:32]
