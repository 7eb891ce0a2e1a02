# run: tenon opt --passes=lower_blocks,compact_buffers,serialize_loops,simplify %s
# A parallel loop stays parallel: memory went into it, each round has its part by the form of the indices, results are
# used after the loop, parameters are the caller's.
@T.prim_func
def own(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
    P = T.alloc_buffer((8,))
    for i in T.parallel(4):
        for k in range(8):
            P[k] = A[i, k]
        for k in range(8):
            B[i, k] = P[7 - k]

@T.prim_func
def apart(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    P = T.alloc_buffer((32,))
    for i in T.parallel(4):
        for k in range(8):
            P[i * 8 + k * 5 % 8] = A[i * 8 + k]
        for k in range(8):
            B[i * 8 + k] = P[i * 8 + k]

@T.prim_func
def apart_in_a_dimension(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
    P = T.alloc_buffer((4, 8))
    for i in T.parallel(4):
        for k in range(8):
            P[3 - i, k * 5 % 8] = A[i, k]
        for k in range(8):
            B[i, k] = P[3 - i, k]

@T.prim_func
def results(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    P = T.alloc_buffer((4, 4))
    for i in T.parallel(16):
        P[i // 4, i % 4] = A[i]
    for i in range(16):
        B[i] = P[i // 4, i % 4]

@T.prim_func
def read_alone(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    P = T.alloc_buffer((1,))
    for i in T.parallel(16):
        B[i] = A[i] + P[0]

@T.prim_func
def parameters(A: T.Buffer((16,), "float32"), B: T.Buffer((1,), "float32")):
    for i in T.parallel(16):
        B[0] = A[i]
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def apart(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        P = T.allocate([32], "float32", "global")
        P_1 = T.decl_buffer((32,), data=P)
        for i in T.parallel(4):
            for k in range(8):
                P_1[i * 8 + k * 5 % 8] = A[i * 8 + k]
            for k in range(8):
                B[i * 8 + k] = P_1[i * 8 + k]

    @T.prim_func
    def apart_in_a_dimension(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
        P = T.allocate([4, 8], "float32", "global")
        P_1 = T.decl_buffer((4, 8), data=P)
        for i in T.parallel(4):
            for k in range(8):
                P_1[3 - i, k * 5 % 8] = A[i, k]
            for k in range(8):
                B[i, k] = P_1[3 - i, k]

    @T.prim_func
    def own(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
        for i in T.parallel(4):
            P = T.allocate([8], "float32", "global")
            P_1 = T.decl_buffer((8,), data=P)
            for k in range(8):
                P_1[k] = A[i, k]
            for k in range(8):
                B[i, k] = P_1[7 - k]

    @T.prim_func
    def parameters(A: T.Buffer((16,), "float32"), B: T.Buffer((1,), "float32")):
        for i in T.parallel(16):
            B[0] = A[i]

    @T.prim_func
    def read_alone(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        P = T.allocate([1], "float32", "global")
        P_1 = T.decl_buffer((1,), data=P)
        for i in T.parallel(16):
            B[i] = A[i] + P_1[0]

    @T.prim_func
    def results(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        P = T.allocate([4, 4], "float32", "global")
        P_1 = T.decl_buffer((4, 4), data=P)
        for i in T.parallel(16):
            P_1[i // 4, i % 4] = A[i]
        for i in range(16):
            B[i] = P_1[i // 4, i % 4]
