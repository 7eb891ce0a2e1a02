# run: tenon fmt %s
# The loop level, construct by construct.
from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def buffer_param(A: T.Buffer((128,128),"float32"), B: T.Buffer((4,))):
        pass

    @T.prim_func
    def handle_param(a: T.handle, m: T.int32, n: T.int32, s: T.int32, p: T.handle):
        A = T.match_buffer(a,(m,n),"float32", data=p, strides=[s,1], elem_offset=0, scope="shared", align=64, offset_factor=1, axis_separators=[2])
        pass

    @T.prim_func
    def scalar(n: T.int32, eps: T.float32) -> None:
        pass

    @T.prim_func
    def scalar2(n: T.int32, eps: T.float32) -> T.int32:
        return n

    @T.prim_func
    def symbolic(a: T.handle, b: T.handle, c: T.handle):
        m, n = T.int64(), T.int64()
        k = T.int32(is_size_var=True)
        A = T.match_buffer(a, (m, n))
        B = T.match_buffer(b, (k,))
        l = T.int32()
        C = T.match_buffer(c, (l,))

    @T.prim_func
    def f():
        T.func_attr({"global_symbol":"f","tir.noalias":True,"op_pattern":0})

    @T.prim_func
    def loops(A: T.Buffer((128,)), n: T.int32, c: T.bool, i: T.Buffer((1,), "int32")):
        for j in range(8):
            A[j] = 1.0
        for j in T.serial(2, 8, annotations={"k":1}):
            A[j] = 1
        for j in T.parallel(n):
            A[j] = 1.0
        for j in T.vectorized(4):
            A[j] = 1.0
        for j in T.unroll(n):
            A[j] = 1.0
        for j in T.thread_binding(32, thread="threadIdx.x"):
            A[j] = 1.0
        for j in T.parallel(2, n, annotations={"a": 1}):
            A[j] = 1.0
        for j in T.thread_binding(0, 32, thread="threadIdx.x", annotations={"a": 1}):
            A[j] = 1.0
        for j, k, l in T.grid(2, 3, 4):
            A[j + k + l] = 1.0
        while i[0] < 10:
            i[0] = i[0] + 1
        if c:
            A[0] = 1.0
        else:
            A[0] = 2.0

    @T.prim_func
    def blocks(A: T.Buffer((128, 128)), B: T.Buffer((128, 128)), C: T.Buffer((128, 128))):
        for i, j, k in T.grid(128, 128, 6):
            with T.block("C"):
                vi = T.axis.spatial(128, i)
                vj = T.axis.S(128, j)
                vk = T.axis.reduce((2,8), k + 2)
                T.where(i*4 + j < 30)
                T.reads(A[vi, 0:8], B[vk, vj])
                T.writes(C[vi,vj])
                T.block_attr({"meta_schedule.tiling_structure":"SSRSRS"})
                D = T.alloc_buffer((8,8),"float32", scope="local")
                with T.init():
                    C[vi,vj] = T.float32(0)
                C[vi,vj] = C[vi,vj] + A[vi,vk] * B[vk,vj]
        for i, j, k in T.grid(128, 128, 128):
            with T.block("D"):
                vi, vj, vk = T.axis.remap("SSR", [i,j,k])
                C[vi,vj] = C[vi,vj] + A[vi,vk] * B[vk,vj]
        for i, j, k in T.grid(128, 128, 128):
            with T.block("E"):
                vi = T.axis.scan(128, i)
                vj = T.axis.opaque(128, j)
                vk = T.axis.R(128, k)
                T.reads()
                T.writes()
        for vj in range(8):
            with T.block("tz"):
                v = T.axis.spatial(8, vj)
                Bs = T.match_buffer(B[0:16, v*16:v*16+16], (16,16), offset_factor=16)
                Bs[0, 0] = Bs[1, 1]

    @T.prim_func
    def stores(A: T.Buffer((128,)), C: T.Buffer((128, 128)), x: T.float32, pred: T.bool):
        for i, j in T.grid(4, 4):
            C[i,j] = A[i] + 1.0
            A[i] += x
            A[i:i+4] = A[4:8]
            A.vstore([i], x)
            A.vstore([i], A.vload([i],"float32x4"))
            A.vstore([i], A.vload([i],"float32x4"), T.Broadcast(pred, 4))

    @T.prim_func
    def lets(A: T.Buffer((128,)), v: T.float32):
        for i in range(4):
            x = A[i] * 2.0
            y: T.float32 = x
            with T.LetStmt(v) as z:
                A[i] = z + y
            w = T.float32()
            A[i] = T.Let(w + 1.0, where={w: 1.0})

    @T.prim_func
    def raw():
        p = T.allocate([128],"float32","global")
        B = T.decl_buffer((8,16), data=p)
        q = T.allocate_const([1.,2.],"float32",[2])
        C = T.decl_buffer((2,), data=q)
        B[0, 0] = C[0]

    @T.prim_func
    def attrs(A: T.Buffer((128,))):
        tx = T.env_thread("threadIdx.x")
        with T.attr(tx, "thread_extent", 32):
            A[tx] = 1.0
        ty = T.env_thread("threadIdx.y")
        T.attr(ty, "thread_extent", 32)
        bx = T.launch_thread("blockIdx.x", 4)
        with T.attr(0, "a", 3):
            A[bx + ty] = 1.0
        with T.launch_thread("threadIdx.z", 4) as tz:
            A[tz] = 2.0

    @T.prim_func
    def misc(A: T.Buffer((128,)), n: T.int32, x: T.int32) -> T.int32:
        T.evaluate(T.call_extern("int32","f", A.data))
        assert n == 4, "msg"
        pass
        if n > 3:
            return x
        T.ret(x)
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def attrs(A: T.Buffer((128,), "float32")):
        with T.launch_thread("threadIdx.x", 32) as tx:
            A[tx] = T.float32(1.0)
        with T.launch_thread("threadIdx.y", 32) as ty:
            with T.launch_thread("blockIdx.x", 4) as bx:
                with T.attr(0, "a", 3):
                    A[bx + ty] = T.float32(1.0)
                with T.launch_thread("threadIdx.z", 4) as tz:
                    A[tz] = T.float32(2.0)

    @T.prim_func
    def blocks(A: T.Buffer((128, 128), "float32"), B: T.Buffer((128, 128), "float32"), C: T.Buffer((128, 128), "float32")):
        for i, j, k in T.grid(128, 128, 6):
            with T.block("C"):
                vi = T.axis.spatial(128, i)
                vj = T.axis.spatial(128, j)
                vk = T.axis.reduce((2, 8), k + 2)
                T.where(i * 4 + j < 30)
                T.reads(A[vi, 0:8], B[vk, vj])
                T.writes(C[vi, vj])
                T.block_attr({"meta_schedule.tiling_structure": "SSRSRS"})
                D = T.alloc_buffer((8, 8), scope="local")
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
        for i, j, k in T.grid(128, 128, 128):
            with T.block("D"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(C[vi, vj], A[vi, vk], B[vk, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
        for i, j, k in T.grid(128, 128, 128):
            with T.block("E"):
                vi = T.axis.scan(128, i)
                vj = T.axis.opaque(128, j)
                vk = T.axis.reduce(128, k)
                T.reads()
                T.writes()
                pass
        for vj in range(8):
            with T.block("tz"):
                v = T.axis.remap("S", [vj])
                T.reads(B[0:16, v * 16:v * 16 + 16])
                T.writes(B[0:16, v * 16:v * 16 + 16])
                Bs_elem_offset = T.int32()
                Bs = T.match_buffer(B[0:16, v * 16:v * 16 + 16], (16, 16), elem_offset=Bs_elem_offset, offset_factor=16)
                Bs[0, 0] = Bs[1, 1]

    @T.prim_func
    def buffer_param(A: T.Buffer((128, 128), "float32"), B: T.Buffer((4,), "float32")):
        pass

    @T.prim_func
    def f():
        T.func_attr({"tir.noalias": T.bool(True), "op_pattern": 0})
        pass

    @T.prim_func
    def handle_param(a: T.handle, m: T.int32, n: T.int32, s: T.int32, p: T.handle):
        A = T.match_buffer(a, (m, n), data=p, strides=(s, 1), scope="shared", axis_separators=[2])
        pass

    @T.prim_func
    def lets(A: T.Buffer((128,), "float32"), v: T.float32):
        for i in range(4):
            x: T.float32 = A[i] * T.float32(2.0)
            y: T.float32 = x
            z: T.float32 = v
            A[i] = z + y
            A[i] = T.Let(w + T.float32(1.0), where={w: T.float32(1.0)})

    @T.prim_func
    def loops(A: T.Buffer((128,), "float32"), n: T.int32, c: T.bool, i: T.Buffer((1,), "int32")):
        for j in range(8):
            A[j] = T.float32(1.0)
        for j in T.serial(2, 8, annotations={"k": 1}):
            A[j] = T.float32(1.0)
        for j in T.parallel(n):
            A[j] = T.float32(1.0)
        for j in T.vectorized(4):
            A[j] = T.float32(1.0)
        for j in T.unroll(n):
            A[j] = T.float32(1.0)
        for j in T.thread_binding(32, thread="threadIdx.x"):
            A[j] = T.float32(1.0)
        for j in T.parallel(2, 2 + (n - 2), annotations={"a": 1}):
            A[j] = T.float32(1.0)
        for j in T.thread_binding(32, thread="threadIdx.x", annotations={"a": 1}):
            A[j] = T.float32(1.0)
        for j, k, l in T.grid(2, 3, 4):
            A[j + k + l] = T.float32(1.0)
        while i[0] < 10:
            i[0] = i[0] + 1
        if c:
            A[0] = T.float32(1.0)
        else:
            A[0] = T.float32(2.0)

    @T.prim_func
    def misc(A: T.Buffer((128,), "float32"), n: T.int32, x: T.int32) -> T.int32:
        T.call_extern("int32", "f", A.data)
        assert n == 4, "msg"
        if n > 3:
            return x
        return x

    @T.prim_func
    def raw():
        p = T.allocate([128], "float32", "global")
        B = T.decl_buffer((8, 16), data=p)
        q = T.allocate_const([1.0, 2.0], "float32", [2])
        C = T.decl_buffer((2,), data=q)
        B[0, 0] = C[0]

    @T.prim_func
    def scalar(n: T.int32, eps: T.float32):
        pass

    @T.prim_func
    def scalar2(n: T.int32, eps: T.float32) -> T.int32:
        return n

    @T.prim_func
    def stores(A: T.Buffer((128,), "float32"), C: T.Buffer((128, 128), "float32"), x: T.float32, pred: T.bool):
        for i, j in T.grid(4, 4):
            C[i, j] = A[i] + T.float32(1.0)
            A[i] = A[i] + x
            A[i:i + 4] = A[4:8]
            A[i] = x
            A[i:i + 4] = A[i:i + 4]
            A.vstore([T.Ramp(i, 1, 4)], A[i:i + 4], predicate=T.Broadcast(pred, 4))

    @T.prim_func
    def symbolic(a: T.handle, b: T.handle, c: T.handle):
        m = T.int64()
        n = T.int64()
        A = T.match_buffer(a, (m, n))
        k = T.int32()
        B = T.match_buffer(b, (k,))
        l = T.int32()
        C = T.match_buffer(c, (l,))
        pass
