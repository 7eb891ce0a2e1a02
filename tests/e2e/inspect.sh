#!/bin/bash
# tenon inspect: what a model takes, gives, is made of and costs, as text and as JSON, for every kind of file.
. "$(dirname "$0")/../shell.bash"
cd "$TN_SRC" || exit 2
model=examples/fashion_resnet18/model.onnx

succeeds "a model with an open size" "$TENON" inspect $model
out_has '^  image: R\.Tensor\(\("batch", 1, 28, 28\), dtype="float32"\)$|^  image: R\.Tensor\(\(batch, 1, 28, 28\), dtype="float32"\)$'
out_has '^  logits: R\.Tensor\(.*10\), dtype="float32"\)$'
out_has '^parameters: 699978 in 42 constants$'
out_has '^ +20  nn\.conv2d$'
out_has '^operations: not known before the run'
out_has '^  weights +2799912$'

# A convolution of c channels to d, of a picture of h x w, by a window of k x k takes 2 * h * w * c * d * k * k.
succeeds "with the size fixed" "$TENON" inspect $model --shape image=1,1,28,28 --json
grep -q '"shape": \[' "$work/out"
is "the JSON has shapes" $? -eq 0
flops=$(sed -n 's/^ *"flops": \([0-9]*\)\.[0-9]*,$/\1/p' "$work/out")
is "the operations are those of its convolutions, and few more" "${flops:-0}" -gt 57000000 -a "${flops:-0}" -lt 58000000
planned=$(sed -n 's/^ *"planned_bytes": \([0-9]*\),$/\1/p' "$work/out")
no_reuse=$(sed -n 's/^ *"no_reuse_bytes": \([0-9]*\),$/\1/p' "$work/out")
is "memory is planned" "${planned:-0}" -gt 0 -a "${planned:-0}" -lt "${no_reuse:-0}"

succeeds "a text" "$TENON" inspect examples/dense.py --json
out_has '"dtype": "float32"'
out_has '"n"'
out_has '"matmul": 1'
for kind in tnx so; do
  succeeds "compiled as .$kind" "$TENON" compile $model -o "$work/m.$kind"
  succeeds "a .$kind" "$TENON" inspect "$work/m.$kind"
  out_has '^  image: '
  out_has '^  weights +[0-9]+$'
done
succeeds "a loop function" "$TENON" inspect examples/tiles/gemm_6x16.py
fails 1 "no file" "nowhere.onnx" "$TENON" inspect nowhere.onnx
fails 1 "no such function" "no function is called 'mein'" "$TENON" inspect examples/dense.py --func mein
fails 2 "two files" "takes FILE" "$TENON" inspect a b
finish
