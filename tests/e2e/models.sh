#!/bin/bash
# An ONNX model through every command that takes one: run, bench, compile to each kind of file, and back. One artefact
# runs at several sizes.
. "$(dirname "$0")/../shell.bash"
cd "$TN_SRC" || exit 2
model=examples/fashion_resnet18/model.onnx

for kind in tnx so py; do
  succeeds "compiled to .$kind" "$TENON" compile $model -o "$work/m.$kind"
  silent
done
is "the weights lie beside the text" -s "$work/m.npz"
for batch in 1 3; do
  succeeds "run, $batch at a time" "$TENON" run $model --random --size batch=$batch --output "$work/want.npy"
  cp "$work/out" "$work/want"
  for kind in tnx so py; do
    succeeds ".$kind, $batch at a time" "$TENON" run "$work/m.$kind" --random --size batch=$batch
    same ".$kind says the same" "$work/out" "$work/want"
  done
done
out_has '^logits: float32'
cat > "$work/named.py" << 'END'
@I.ir_module
class Named:
    @R.function
    def main(x: R.Tensor((3,), dtype="float32")):
        R.func_attr({"output_names": ["plain", "../a:0", "", "../a/0"]})
        with R.dataflow():
            y = R.exp(x)
            R.output(y)
        return (x, y, x, y)
END
for kind in py tnx; do
  [ $kind = py ] || succeeds "compiled" "$TENON" compile "$work/named.py" -o "$work/named.tnx"
  succeeds "results by their names, .$kind" "$TENON" run "$work/named.$kind" --random --output "$work/$kind"
  for name in plain _._a_0 out _._a_0_2; do
    is "a file for $name" -f "$work/$kind/$name.npy"
    out_has "^$name: float32"
  done
done
succeeds "in source order" "$TENON" run $model --random --size batch=1 --strict-math
cp "$work/out" "$work/want"
succeeds "without passes that rewrite" "$TENON" run $model --random --size batch=1 --strict-math \
  --disable-pass fold_constants,cse --disable-pass clean_graph
same "says the same" "$work/out" "$work/want"
fails 1 "a pass that is none" "no pass is called 'fold_constant'; did you mean 'fold_constants'?" \
  "$TENON" run $model --random --size batch=1 --disable-pass fold_constant
succeeds "measured" "$TENON" bench $model --random --shape image=1,1,28,28 --number 1 --repeat 1 --json
out_has '"median_us"'
fails 1 "an input of another shape" "the data's channel dimension has extent 3" "$TENON" run $model --random --shape image=1,3,28,28
fails 1 "an input that is none" "the model has no such input" "$TENON" run $model --random --shape picture=1,1,28,28
fails 2 "no shape" "--shape image: NAME=1,3,224,224 is needed" "$TENON" run $model --random --shape image
finish
