# row: what TVM's lowering makes of calls
# section: 2c
# does: prints
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((4,), "float32"), p: T.handle):
    s = T.tvm_stack_alloca("arg_value", 2)  #<
    T.evaluate(T.tvm_struct_set(s, 0, 12, T.int64(3)))  #<
    if T.isnullptr(T.tvm_struct_get(p, 0, 1, "handle")):  #<
        A[T.tvm_struct_get(p, 0, 5, dtype="int32")] = T.float32(1)
    T.evaluate(T.tvm_stack_make_array(A.data, T.tvm_stack_make_shape(4), 0, 1, T.float32(0), 0))  #<
    T.evaluate(T.tvm_call_packed_lowered("f", s, s, 0, 1))  #<
    T.evaluate(T.tvm_throw_last_error())
