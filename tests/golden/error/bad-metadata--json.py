# run: not tenon check %s
metadata = tvm.ir.load_json("""{
  "root": 1,
  "nodes": [
    {"type_key": ""},
    {"type_key": "Map", "keys": ["relax.expr.Const""")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        y = R.add(x, metadata["relax.expr.Constant"][0])
        t = (y, metadata["relax.expr.Constant"][1], metadata["relax.expr.Constant"][0])
        return t
# expect:
%s:2:29: error: JSON, line 5, column 50: premature end of input near '"relax.expr.Const' [bad-metadata]
metadata = tvm.ir.load_json("""{
                            ^
