# row: facts of a buffer
# section: 2c
# does: prints
# same: 2022 2026
# --- 2023
@T.prim_func
def f(a: T.handle):
    s = T.int32()
    A = T.match_buffer(a, (4, 4), "float32", strides=[s, 1], offset_factor=1)
    T.evaluate(T.call_extern("int32", "f", A.data, A.elem_offset, A.strides[0], A.access_ptr("r")))  #<
    T.evaluate(T.address_of(A[0, 0]))  #<
    for i in range(A.shape[0]):  #<
        A[i, 0] = T.Cast(A.dtype, i)  #<
