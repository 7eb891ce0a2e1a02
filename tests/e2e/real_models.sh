#!/bin/bash
# Trained models that lie beside the repository in ../shared/cases/real, where they are there: each gives the outputs
# recorded with it, within the tolerance of its meta.json, at -O0 and -O2, on one thread and two, in memory and by way
# of .tnx and .so. Without TN_LONG=1 at -O2 in memory alone. A photograph gets its classes by one command line.
. "$(dirname "$0")/../shell.bash"
models=$TN_SRC/../shared/cases/real/dev
if [ ! -d "$models" ]; then
  echo "skipped: no $models"
  exit 0
fi

number() { # file, key, default
  local value
  value=$(sed -n "s/^ *\"$2\": *\([0-9.e+-]*\),\{0,1\}$/\1/p" "$1" | head -n 1)
  echo "${value:-$3}"
}

run_model() { # folder, options
  local meta=$1/meta.json
  succeeds "${1##*/} ${*:2}" "$TENON" test-onnx "$1" --timeout 600 --rtol "$(number "$meta" suggested_rtol 1e-3)" \
    --atol "$(number "$meta" suggested_atol 1e-5)" "${@:2}"
}

for folder in "$models"/*/; do
  folder=${folder%/}
  [ -f "$folder/model.onnx" ] && [ -f "$folder/meta.json" ] || continue
  if [ -z "$TN_LONG" ]; then
    run_model "$folder" -O2
    continue
  fi
  for level in 0 2; do
    for threads in 1 2; do
      run_model "$folder" -O$level --threads $threads
    done
    run_model "$folder" -O$level --through tnx
    run_model "$folder" -O$level --through so
  done
done

cat=$models/tabby_cat
if [ -d "$cat" ]; then
  printf '%s\n' output: '   59.7 %  285  Egyptian cat' '   22.8 %  282  tiger cat' '   16.6 %  281  tabby, tabby cat' \
    '    0.7 %  287  lynx, catamount' '    0.2 %  728  plastic bag' > "$work/want"
  succeeds "a photograph of a cat" "$TENON" run "$models/mobilenetv2_int8/model.onnx" --input "input=$cat/chelsea.png" \
    --preprocess imagenet --labels "$cat/imagenet_synset_1000.txt" --top 5
  cp "$work/out" "$work/got"
  same "its classes and their shares" "$work/got" "$work/want"
  if python3 -c 'import numpy, onnx.numpy_helper' 2> "$work/none"; then
    succeeds "the network in float32 is made" python3 "$models/../../scripts/dequant_qlinear.py" \
      "$models/mobilenetv2_int8/model.onnx" "$work/f32.onnx"
    succeeds "the cat in float32" "$TENON" run "$work/f32.onnx" --input "input=$cat/chelsea.png" --preprocess imagenet \
      --labels "$cat/imagenet_synset_1000.txt" --top 5
    printf '%s\n' output: '   73.5 %  285  Egyptian cat' '   13.6 %  281  tabby, tabby cat' '   12.0 %  282  tiger cat' \
      '    0.7 %  287  lynx, catamount' '    0.1 %  728  plastic bag' > "$work/want"
    cp "$work/out" "$work/got"
    same "its classes in float32" "$work/got" "$work/want"
  fi
fi
finish
