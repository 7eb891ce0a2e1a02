# run: not tenon run --interpret --random %s
# A function that is called with the pointer to a constant finds out when it stores.
@I.ir_module
class M:
    @T.prim_func
    def main(A: T.Buffer((2,), "float32")):
        p = T.allocate_const([1.0, 2.0], "float32", [2])
        M.put(p)

    @T.prim_func
    def put(q: T.handle("float32")):
        B = T.decl_buffer((2,), data=q)
        B[0] = T.float32(3)
# expect:
%s:13:9: error: put: buffer 'B' is constant and cannot be stored to [store-to-constant]
        B[0] = T.float32(3)
        ^~~~~~~~~~~~~~~~~~~
