# run: tenon fmt %s
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
        t = (y, metadata["relax.expr.Constant"][1], metadata["relax.expr.Constant"][0])
        return t
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((2, 1), dtype="int64"), R.Tensor((4,), dtype="float32")):
        y: R.Tensor((4,), dtype="float32") = R.add(x, R.const([1.5, -2.0, 3.0, 0.25], "float32"))
        t: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((2, 1), dtype="int64"), R.Tensor((4,), dtype="float32")) = (y, R.const([[7], [-9]], "int64"), R.const([1.5, -2.0, 3.0, 0.25], "float32"))
        return t
