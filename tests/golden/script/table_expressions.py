# run: tenon fmt %s
# Expressions, mathematics, sets of GPUs, types.
from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def exprs(A: T.Buffer((128,)), B: T.Buffer((128,), "int32"), x: T.float32, i: T.int32, j: T.int32, c: T.bool, d: T.bool, a: T.handle, n: T.int32):
        S = T.match_buffer(a, (n, 8), strides=("s0", 1), offset_factor=1)
        B[0] = i + j - i * j
        A[0] = x / 2.0
        A[0] = x / x
        B[0] = T.truncdiv(i, j)
        B[0] = T.truncmod(i, j)
        B[0] = T.Div(i, j)
        B[0] = i // j
        B[0] = i % j
        A[0] = T.Select(c and d or not c, 1.0, x)
        B[0] = i & j | i ^ ~j << 2 >> 1
        B[0] = T.min(i, j)
        B[0] = T.max(i, 0)
        A[0] = T.Cast("float32", i)
        A[0] = T.cast(i, "float32")
        A[0] = T.if_then_else(i < j, A[i], 0.0)
        A[T.Ramp(i, 2, 4)] = T.Broadcast(x, 4)
        A[0:4] = T.Shuffle([A[0:4], A[4:8]], [0, 1, 4, 5])
        A[0] = T.Select(T.likely(i < 4), T.float32(0), T.float32("inf"))
        B[0] = T.Cast("int32", T.int64(3))
        A[0] = T.Cast("float32", T.float16(1.0))
        A[0] = T.Select(T.bool(True), x, x)
        A[0] = T.Cast("float32", T.reinterpret("uint32", x))
        T.call_extern("void", "f", T.address_of(A[0]), A.data, S.elem_offset, S.strides[0], A.access_ptr("r"), A.access_ptr("rw", offset=2))
        T.call_extern("int32", "f", T.tvm_access_ptr(T.type_annotation("float32"), A.data, 0, 16, 1))
        A[0] = T.call_intrin("float32", "tir.exp", x)
        B[0] = T.call_extern("int32", "g", i)
        B[0] = T.call_pure_extern("int32", "g", i)
        T.call_packed("p", i, x)
        T.call_cpacked("p", i, x)
        A[0] = T.call_llvm_intrin("float32", "llvm.fabs.f32", T.uint32(1), x)
        A[0] = T.call_llvm_pure_intrin("float32", "llvm.fabs.f32", T.uint32(1), x)
        T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0)))
        T.attr(T.index_map(lambda i, j: (j, i)), "m", T.target({"kind": "llvm"}))
        A[0] = 1.0

    @T.prim_func
    def math(A: T.Buffer((128,)), B: T.Buffer((128,), "int32"), C: T.Buffer((128,), "bool"), x: T.float32, y: T.float32, i: T.int32, j: T.int32):
        A[0] = T.abs(x) + T.acos(x) + T.acosh(x) + T.asin(x) + T.asinh(x) + T.atan(x) + T.atan2(x, y) + T.atanh(x) + T.ceil(x)
        B[0] = T.clz(i) + T.popcount(i) + T.q_multiply_shift(i, j, 31, 2)
        A[0] = T.copysign(x, y) + T.cos(x) + T.cosh(x) + T.erf(x) + T.exp(x) + T.exp2(x) + T.exp10(x) + T.floor(x) + T.fmod(x, y) + T.fma(x, y, x)
        A[0] = T.hypot(x, y) + T.ldexp(x, i) + T.log(x) + T.log1p(x) + T.log2(x) + T.log10(x) + T.nearbyint(x) + T.nextafter(x, y)
        C[0] = T.isfinite(x)
        C[0] = T.isinf(x)
        C[0] = T.isnan(x)
        A[0] = T.max_value("float32") + T.min_value("float32") + T.infinity("float32")
        B[0] = T.max_value("int32") + T.min_value("int32")
        A[0] = T.pow(x, y) + T.round(x) + T.rsqrt(x) + T.sigmoid(x) + T.sin(x) + T.sinh(x) + T.sqrt(x) + T.tan(x) + T.tanh(x) + T.trunc(x)
        B[0] = T.shift_left(i, j) + T.shift_right(i, 2) + T.bitwise_and(i, j) + T.bitwise_or(i, j) + T.bitwise_xor(i, j) + T.bitwise_not(i)
        B[0] = T.vscale()
        C[0:4] = T.get_active_lane_mask("boolx4", i, j)
        B[0] = T.dp4a(T.reinterpret("int8x4", i), T.reinterpret("int8x4", j))
        T.evaluate(T.assume(i < 4))
        T.assume(i < 4)
        A[0] = T.undef()

    @T.prim_func
    def gpu(A: T.Buffer((128,)), x: T.float32, i: T.int32, p: T.handle):
        T.tvm_storage_sync("shared")
        A[0] = T.tvm_warp_shuffle(T.tvm_warp_activemask(), x, 0, 32, 32)
        A[0] = T.tvm_warp_shuffle_up(T.tvm_warp_activemask(), x, 1, 32, 32)
        with T.attr(T.comm_reducer(lambda a, b: a + b, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
            T.tvm_thread_allreduce(T.uint32(1), x, T.bool(True), A[0], i)
        T.tvm_load_matrix_sync(A.data, 16, 16, 16, 0, A.access_ptr("r"), 16, "row_major")
        T.tvm_mma_sync(A.data, 0, A.data, 0, A.data, 0, A.data, 0)
        T.tvm_fill_fragment(A.data, 16, 16, 16, 0, T.float32(0))
        T.tvm_store_matrix_sync(A.data, 16, 16, 16, 0, A.access_ptr("w"), 16, "row_major")
        T.ptx_ldmatrix("float16", T.bool(False), 4, ".b16", A.data, 0, A.data, 0)
        T.ptx_cp_async("float16", A.data, 0, A.data, 0, 16)
        T.ptx_commit_group()
        T.ptx_wait_group(0)

    @T.prim_func
    def types(a0: T.int8, a1: T.int16, a2: T.int32, a3: T.int64, b0: T.uint8, b1: T.uint16, b2: T.uint32, b3: T.uint64, c0: T.float16, c1: T.float32, c2: T.float64, c3: T.bfloat16, d: T.bool, e: T.handle, V: T.Buffer((4,), "float32x4")):
        pass
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def exprs(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "int32"), x: T.float32, i: T.int32, j: T.int32, c: T.bool, d: T.bool, a: T.handle, n: T.int32):
        s0 = T.int32()
        S_elem_offset = T.int32()
        S = T.match_buffer(a, (n, 8), strides=(s0, 1), elem_offset=S_elem_offset)
        B[0] = i + j - i * j
        A[0] = x / T.float32(2.0)
        A[0] = x / x
        B[0] = T.truncdiv(i, j)
        B[0] = T.truncmod(i, j)
        B[0] = T.truncdiv(i, j)
        B[0] = i // j
        B[0] = i % j
        A[0] = T.Select(c and d or not c, T.float32(1.0), x)
        B[0] = i & j | i ^ ~j << 2 >> 1
        B[0] = T.min(i, j)
        B[0] = T.max(i, 0)
        A[0] = T.Cast("float32", i)
        A[0] = T.Cast("float32", i)
        A[0] = T.if_then_else(i < j, A[i], T.float32(0.0))
        A[T.Ramp(i, 2, 4)] = T.Broadcast(x, 4)
        A[0:4] = T.Shuffle([A[0:4], A[4:8]], [0, 1, 4, 5])
        A[0] = T.Select(T.likely(i < 4), T.float32(0.0), T.float32("inf"))
        B[0] = 3
        A[0] = T.float32(1.0)
        A[0] = T.Select(T.bool(True), x, x)
        A[0] = T.Cast("float32", T.reinterpret("uint32", x))
        T.call_extern("int32", "f", T.address_of(A[0]), A.data, S_elem_offset, s0, T.tvm_access_ptr(T.type_annotation("float32"), A.data, 0, 128, 1), T.tvm_access_ptr(T.type_annotation("float32"), A.data, 2, 126, 3))
        T.call_extern("int32", "f", T.tvm_access_ptr(T.type_annotation("float32"), A.data, 0, 16, 1))
        A[0] = T.exp(x)
        B[0] = T.call_extern("int32", "g", i)
        B[0] = T.call_pure_extern("int32", "g", i)
        T.call_packed("p", i, x)
        T.call_cpacked("p", i, x)
        A[0] = T.fabs(x)
        A[0] = T.fabs(x)
        with T.attr(T.comm_reducer(lambda x_1, y: x_1 + y, [T.float32(0.0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
            with T.attr(T.index_map(lambda i_1, j_1: (j_1, i_1)), "m", T.target({"kind": "llvm"})):
                A[0] = T.float32(1.0)

    @T.prim_func
    def gpu(A: T.Buffer((128,), "float32"), x: T.float32, i: T.int32, p: T.handle):
        T.tvm_storage_sync("shared")
        A[0] = T.tvm_warp_shuffle(T.tvm_warp_activemask(), x, 0, 32, 32)
        A[0] = T.tvm_warp_shuffle_up(T.tvm_warp_activemask(), x, 1, 32, 32)
        with T.attr(T.comm_reducer(lambda a, b: a + b, [T.float32(0.0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
            T.tvm_thread_allreduce(T.uint32(1), x, T.bool(True), A[0], i)
        T.tvm_load_matrix_sync(A.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float32"), A.data, 0, 128, 1), 16, "row_major")
        T.tvm_mma_sync(A.data, 0, A.data, 0, A.data, 0, A.data, 0)
        T.tvm_fill_fragment(A.data, 16, 16, 16, 0, T.float32(0.0))
        T.tvm_store_matrix_sync(A.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float32"), A.data, 0, 128, 2), 16, "row_major")
        T.ptx_ldmatrix("float16", T.bool(False), 4, ".b16", A.data, 0, A.data, 0)
        T.ptx_cp_async("float16", A.data, 0, A.data, 0, 16)
        T.ptx_commit_group()
        T.ptx_wait_group(0)

    @T.prim_func
    def math(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "int32"), C: T.Buffer((128,), "bool"), x: T.float32, y: T.float32, i: T.int32, j: T.int32):
        A[0] = T.abs(x) + T.acos(x) + T.acosh(x) + T.asin(x) + T.asinh(x) + T.atan(x) + T.atan2(x, y) + T.atanh(x) + T.ceil(x)
        B[0] = T.clz(i) + T.popcount(i) + T.q_multiply_shift(i, j, 31, 2)
        A[0] = T.copysign(x, y) + T.cos(x) + T.cosh(x) + T.erf(x) + T.exp(x) + T.exp2(x) + T.exp10(x) + T.floor(x) + T.fmod(x, y) + T.fma(x, y, x)
        A[0] = T.hypot(x, y) + T.ldexp(x, i) + T.log(x) + T.log1p(x) + T.log2(x) + T.log10(x) + T.nearbyint(x) + T.nextafter(x, y)
        C[0] = T.isfinite(x)
        C[0] = T.isinf(x)
        C[0] = T.isnan(x)
        A[0] = T.Add(T.float32(3.4028235e+38), T.float32(-3.4028235e+38)) + T.float32("inf")
        B[0] = T.Add(2147483647, -2147483648)
        A[0] = T.pow(x, y) + T.round(x) + T.rsqrt(x) + T.sigmoid(x) + T.sin(x) + T.sinh(x) + T.sqrt(x) + T.tan(x) + T.tanh(x) + T.trunc(x)
        B[0] = (i << j) + (i >> 2) + (i & j) + (i | j) + (i ^ j) + ~i
        B[0] = T.vscale()
        C[0:4] = T.get_active_lane_mask("boolx4", i, j)
        B[0] = T.dp4a(T.reinterpret("int8x4", i), T.reinterpret("int8x4", j))
        T.assume(i < 4)
        T.assume(i < 4)
        A[0] = T.Cast("float32", T.undef("int32"))

    @T.prim_func
    def types(a0: T.int8, a1: T.int16, a2: T.int32, a3: T.int64, b0: T.uint8, b1: T.uint16, b2: T.uint32, b3: T.uint64, c0: T.float16, c1: T.float32, c2: T.float64, c3: T.bfloat16, d: T.bool, e: T.handle, V: T.Buffer((4,), "float32x4")):
        pass
