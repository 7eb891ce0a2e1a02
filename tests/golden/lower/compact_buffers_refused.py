# run: tenon opt --passes=lower_blocks,compact_buffers,simplify %s
# Memory stays where a round may read what an earlier one wrote, or what it has not written itself, where a pointer
# leads to it, and where a loop may end early.
@T.prim_func
def carried(A: T.Buffer((8, 4), "float32"), B: T.Buffer((8, 4), "float32")):
    S = T.alloc_buffer((8, 4))
    for i, j in T.grid(8, 4):
        if i == 0:
            S[0, j] = T.float32(0)
        B[i, j] = S[i, j] + A[i, j]
        if i < 7:
            S[i + 1, j] = B[i, j]

@T.prim_func
def holes(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
    even = T.alloc_buffer((8, 8))
    half = T.alloc_buffer((8, 8))
    diagonal = T.alloc_buffer((8, 8))
    for i in range(8):
        for j in range(4):
            even[i, j * 2] = A[i, j]
        for j in range(8):
            B[i, j] = even[i, j]
    for i in range(8):
        for j in range(8):
            if j < 4:
                half[i, j] = A[i, j]
        for j in range(8):
            B[i, j] = half[i, j]
    for i in range(8):
        for j in range(8):
            diagonal[(i + j) % 8, j] = A[i, j]
        for j, k in T.grid(8, 8):
            B[i, j] = diagonal[k, j]

@T.prim_func
def pointed(A: T.Buffer((8, 4), "float32"), B: T.Buffer((8, 4), "float32")):
    P = T.alloc_buffer((8, 4))
    for i in range(8):
        for j in range(4):
            P[i, j] = A[i, j]
        T.evaluate(T.call_extern("int32", "f", T.address_of(P[i, 0])))
        for j in range(4):
            B[i, j] = P[i, j]

@T.prim_func
def left(A: T.Buffer((8, 4), "float32"), B: T.Buffer((8, 4), "float32")):
    P = T.alloc_buffer((8, 4))
    for i in range(8):
        for j in range(4):
            if A[i, j] < T.float32(0):
                break
            P[i, j] = A[i, j]
        for j in range(4):
            B[i, j] = P[i, j]

@T.prim_func
def partly(A: T.Buffer((8, 4), "float32"), B: T.Buffer((8, 4), "float32")):
    first = T.alloc_buffer((8, 4))
    square = T.alloc_buffer((8, 4, 4))
    for i in range(8):
        for a in range(4):
            if a == 0:
                first[i, a] = A[i, a]
            B[i, a] = first[i, a]
    for i in range(8):
        for a in range(4):
            square[i, a, a] = A[i, a]
        for a, b in T.grid(4, 4):
            B[i, a] = B[i, a] + square[i, a, b]

# The last round of i has no round of j: it reads what the one before has written.
@T.prim_func
def empty(A: T.Buffer((4,), "float32"), B: T.Buffer((4, 5), "float32")):
    P = T.alloc_buffer((8,))
    for i in range(4):
        for j, k in T.grid(3 - i, 3):
            P[j + k] = A[i]
        for m in range(5 - i):
            B[i, m] = P[m]
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def carried(A: T.Buffer((8, 4), "float32"), B: T.Buffer((8, 4), "float32")):
        S = T.allocate([8, 4], "float32", "global")
        S_1 = T.decl_buffer((8, 4), data=S)
        for i, j in T.grid(8, 4):
            if i == 0:
                S_1[0, j] = T.float32(0.0)
            B[i, j] = S_1[i, j] + A[i, j]
            if i < 7:
                S_1[i + 1, j] = B[i, j]

    @T.prim_func
    def empty(A: T.Buffer((4,), "float32"), B: T.Buffer((4, 5), "float32")):
        P = T.allocate([8], "float32", "global")
        P_1 = T.decl_buffer((8,), data=P)
        for i in range(4):
            for j, k in T.grid(3 - i, 3):
                P_1[j + k] = A[i]
            for m in range(5 - i):
                B[i, m] = P_1[m]

    @T.prim_func
    def holes(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
        even = T.allocate([8, 8], "float32", "global")
        even_1 = T.decl_buffer((8, 8), data=even)
        half = T.allocate([8, 8], "float32", "global")
        half_1 = T.decl_buffer((8, 8), data=half)
        diagonal = T.allocate([8, 8], "float32", "global")
        diagonal_1 = T.decl_buffer((8, 8), data=diagonal)
        for i in range(8):
            for j in range(4):
                even_1[i, j * 2] = A[i, j]
            for j in range(8):
                B[i, j] = even_1[i, j]
        for i in range(8):
            for j in range(8):
                if j < 4:
                    half_1[i, j] = A[i, j]
            for j in range(8):
                B[i, j] = half_1[i, j]
        for i in range(8):
            for j in range(8):
                diagonal_1[(i + j) % 8, j] = A[i, j]
            for j, k in T.grid(8, 8):
                B[i, j] = diagonal_1[k, j]

    @T.prim_func
    def left(A: T.Buffer((8, 4), "float32"), B: T.Buffer((8, 4), "float32")):
        P = T.allocate([8, 4], "float32", "global")
        P_1 = T.decl_buffer((8, 4), data=P)
        for i in range(8):
            for j in range(4):
                if A[i, j] < T.float32(0.0):
                    break
                P_1[i, j] = A[i, j]
            for j in range(4):
                B[i, j] = P_1[i, j]

    @T.prim_func
    def partly(A: T.Buffer((8, 4), "float32"), B: T.Buffer((8, 4), "float32")):
        first = T.allocate([8, 4], "float32", "global")
        first_1 = T.decl_buffer((8, 4), data=first)
        square = T.allocate([8, 4, 4], "float32", "global")
        square_1 = T.decl_buffer((8, 4, 4), data=square)
        for i, a in T.grid(8, 4):
            if a == 0:
                first_1[i, a] = A[i, a]
            B[i, a] = first_1[i, a]
        for i in range(8):
            for a in range(4):
                square_1[i, a, a] = A[i, a]
            for a, b in T.grid(4, 4):
                B[i, a] = B[i, a] + square_1[i, a, b]

    @T.prim_func
    def pointed(A: T.Buffer((8, 4), "float32"), B: T.Buffer((8, 4), "float32")):
        P = T.allocate([8, 4], "float32", "global")
        P_1 = T.decl_buffer((8, 4), data=P)
        for i in range(8):
            for j in range(4):
                P_1[i, j] = A[i, j]
            T.call_extern("int32", "f", T.address_of(P_1[i, 0]))
            for j in range(4):
                B[i, j] = P_1[i, j]
