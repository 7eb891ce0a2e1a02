# run: not tenon check %s
metadata = tvm.ir.load_json("""{
  "root": 1,
  "nodes": [
    {"type_key": ""},
    {"type_key": "Map", "keys": ["relax.expr.Constant"], "data": [2]},
    {"type_key": "Array", "data": [3, 4]},
    {"type_key": "relax.expr.Constant", "attrs": {"data": "0", "span": "0"}},
    {"type_key": "relax.expr.Constant", "attrs": {"data": "1", "span": "0"}}
  ],
  "b64ndarrays": ["P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQAEAAAAAAAAABAAAAAAAAAAAADAPwAAAMAAAEBAAACAPg==", "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAABAAQACAAAAAAAAAAEAAAAAAAAAEAAAAAAAAAAHAAAAAAAAAPf/////////"],
  "attrs": {"tvm_version": "0.18.0"}
}""")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        y = R.add(x, metadata["relax.expr.Constant"][0])
        t = (y, metadata["relax.expr.Constant"][2], metadata["relax.expr.Constant"][0])
        return t
# expect:
%s:19:17: error: the metadata has no constant 2; it has 2 [bad-metadata]
        t = (y, metadata["relax.expr.Constant"][2], metadata["relax.expr.Constant"][0])
                ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
