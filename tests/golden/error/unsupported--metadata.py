# run: not tenon check %s
metadata = tvm.ir.load_json("""{"root_index": 3, "nodes": []}""")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        y = R.add(x, metadata["relax.expr.Constant"][0])
        t = (y, metadata["relax.expr.Constant"][1], metadata["relax.expr.Constant"][0])
        return t
# expect:
%s:2:29: error: metadata of 2025 and later, with "root_index", is not read; the form with "b64ndarrays" is [unsupported]
metadata = tvm.ir.load_json("""{"root_index": 3, "nodes": []}""")
                            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
