#!/bin/bash
# A model that was compiled before is taken from disk: by run and bench, for any folder that the environment names, and
# with --no-cache not at all.
. "$(dirname "$0")/../shell.bash"
model=$TN_SRC/examples/fashion_resnet18/model.onnx
export TENON_CACHE_DIR=$work/models

n_kept() { find "$TENON_CACHE_DIR" -name '*.tnx' 2> "$work/none" | wc -l; }
is_kept() { # how many, title
  [ "$(n_kept)" = "$1" ] || bad "$2" "$(n_kept) models are kept, expected $1"
}

succeeds "nothing is kept with --no-cache" "$TENON" run "$model" --random --size batch=2 --no-cache -O1
cp "$work/out" "$work/want"
is_kept 0 "with --no-cache"
succeeds "a model is compiled and kept" "$TENON" run "$model" --random --size batch=2 -O1
cp "$work/out" "$work/got"
same "its results" "$work/got" "$work/want"
is_kept 1 "after the first run"
succeeds "it is taken from disk" "$TENON" run "$model" --random --size batch=2 -O1
cp "$work/out" "$work/got"
same "its results from disk" "$work/got" "$work/want"
is_kept 1 "after the second run"
succeeds "and measured" "$TENON" bench "$model" --random --size batch=2 -O1 --repeat 1
is_kept 1 "after a measurement"
succeeds "other options are another model" "$TENON" run "$model" --random -O0 --shape image=2,1,28,28
is_kept 2 "after other options"
for i in 1 2 3; do # at once
  "$TENON" run "$model" --random --size batch=2 -O1 --strict-math > "$work/out$i" 2> "$work/err$i" &
done
wait
same "two processes at once" "$work/out1" "$work/out2"
same "three processes at once" "$work/out1" "$work/out3"
is_kept 3 "after three processes at once"
TENON_CACHE_DIR=/proc/none succeeds "a folder that can not be made" "$TENON" run "$model" --random --size batch=2 -O1
finish
