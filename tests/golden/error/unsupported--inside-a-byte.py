# run: not tenon run --interpret --random %s
# A buffer of int4 that begins inside a byte has no address that a function could be given.
@I.ir_module
class M:
    @T.prim_func
    def main(A: T.Buffer((8,), "int4")):
        B = T.decl_buffer((4,), "int4", data=A.data, elem_offset=1)
        M.put(B)

    @T.prim_func
    def put(B: T.Buffer((4,), "int4")):
        B[0] = T.Cast("int4", 3)
# expect:
error: main gives 'put' buffer 'B', which begins inside a byte [unsupported]
