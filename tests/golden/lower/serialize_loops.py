# run: tenon opt --passes=lower_blocks,compact_buffers,serialize_loops,simplify %s
# A parallel loop becomes serial where its rounds share scratch memory that could not be made each round's own: what
# an earlier round left is read, a pointer or another name leads to it, it is written in a way that is not followed.
@T.prim_func
def shared(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
    P = T.alloc_buffer((8,))
    for i in T.parallel(4):
        for k in range(8):
            P[k * 5 % 8] = A[i, k]
        for k in range(8):
            B[i, k] = P[k]

@T.prim_func
def carried(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    P = T.alloc_buffer((2,))
    for i in T.parallel(16):
        P[i % 2] = A[i]
        if i > 0:
            B[i] = P[(i + 1) % 2]

@T.prim_func
def pointed(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
    P = T.alloc_buffer((8,))
    for i in T.parallel(4):
        for k in range(8):
            P[k] = A[i, k]
        T.evaluate(T.call_extern("int32", "f", T.address_of(P[0])))
        for k in range(8):
            B[i, k] = P[k]

@T.prim_func
def renamed(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
    P = T.alloc_buffer((4, 8))
    Q = T.decl_buffer((32,), data=P.data)
    for i in T.parallel(4):
        for k in range(8):
            P[i, k] = A[i, k]
        for k in range(8):
            B[i, k] = Q[i * 8 + k]

@T.prim_func
def overlapping(A: T.Buffer((20,), "float32"), B: T.Buffer((16,), "float32")):
    P = T.alloc_buffer((24,))
    for i in T.parallel(4):
        for k in range(8):
            if A[0] < A[i * 4]:
                P[i * 4 + k] = A[i * 4 + k]
        for k in range(4):
            B[i * 4 + k] = P[i * 4 + k]

@T.prim_func
def moved_by_a_let(A: T.Buffer((4, 8), "int32"), B: T.Buffer((4, 8), "int32")):
    P = T.alloc_buffer((64,), "int32")
    for i in T.parallel(4):
        x = T.bind(A[i, 0])
        P[i * 8 + x] = A[i, 1]
        B[i, 0] = P[i * 8 + x]

# Inside another loop it is the parallel one that becomes serial; the others stay.
@T.prim_func
def nested(A: T.Buffer((4, 4, 8), "float32"), B: T.Buffer((4, 4, 8), "float32")):
    P = T.alloc_buffer((4, 8))
    for o in T.parallel(4):
        for i in T.parallel(4):
            for k in range(8):
                P[o, k * 5 % 8] = A[o, i, k]
            for k in range(8):
                B[o, i, k] = P[o, k]
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def carried(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        P = T.allocate([2], "float32", "global")
        P_1 = T.decl_buffer((2,), data=P)
        for i in range(16):
            P_1[i % 2] = A[i]
            if 0 < i:
                B[i] = P_1[(i + 1) % 2]

    @T.prim_func
    def moved_by_a_let(A: T.Buffer((4, 8), "int32"), B: T.Buffer((4, 8), "int32")):
        P = T.allocate([64], "int32", "global")
        P_1 = T.decl_buffer((64,), "int32", data=P)
        for i in range(4):
            x: T.int32 = A[i, 0]
            P_1[i * 8 + x] = A[i, 1]
            B[i, 0] = P_1[i * 8 + x]

    @T.prim_func
    def nested(A: T.Buffer((4, 4, 8), "float32"), B: T.Buffer((4, 4, 8), "float32")):
        P = T.allocate([4, 8], "float32", "global")
        P_1 = T.decl_buffer((4, 8), data=P)
        for o in T.parallel(4):
            for i in range(4):
                for k in range(8):
                    P_1[o, k * 5 % 8] = A[o, i, k]
                for k in range(8):
                    B[o, i, k] = P_1[o, k]

    @T.prim_func
    def overlapping(A: T.Buffer((20,), "float32"), B: T.Buffer((16,), "float32")):
        P = T.allocate([24], "float32", "global")
        P_1 = T.decl_buffer((24,), data=P)
        for i in range(4):
            for k in range(8):
                if A[0] < A[i * 4]:
                    P_1[i * 4 + k] = A[i * 4 + k]
            for k in range(4):
                B[i * 4 + k] = P_1[i * 4 + k]

    @T.prim_func
    def pointed(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
        P = T.allocate([8], "float32", "global")
        P_1 = T.decl_buffer((8,), data=P)
        for i in range(4):
            for k in range(8):
                P_1[k] = A[i, k]
            T.call_extern("int32", "f", T.address_of(P_1[0]))
            for k in range(8):
                B[i, k] = P_1[k]

    @T.prim_func
    def renamed(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
        P = T.allocate([4, 8], "float32", "global")
        P_1 = T.decl_buffer((4, 8), data=P)
        Q = T.decl_buffer((32,), data=P)
        for i in range(4):
            for k in range(8):
                P_1[i, k] = A[i, k]
            for k in range(8):
                B[i, k] = Q[i * 8 + k]

    @T.prim_func
    def shared(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
        P = T.allocate([8], "float32", "global")
        P_1 = T.decl_buffer((8,), data=P)
        for i in range(4):
            for k in range(8):
                P_1[k * 5 % 8] = A[i, k]
            for k in range(8):
                B[i, k] = P_1[k]
